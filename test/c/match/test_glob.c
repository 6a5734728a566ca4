/* SPDX-License-Identifier: MIT */
#include "glob.h"
#include "sample.h"
#include "utf8.h"

#include "unity.h"

#include <string.h>

static struct error error;

static struct glob *compile(const char *pattern) {
    struct glob *g = glob_compile(pattern, strlen(pattern), &error);
    TEST_ASSERT_NOT_NULL_MESSAGE(g, pattern);
    return g;
}

/* Asks the glob in every way. */
static void check(const char *pattern, const char *path, bool expected) {
    char words[9000];
    (void)snprintf(words, sizeof words, "%s on %s", pattern, path);
    struct glob *g = compile(pattern);
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected, glob_matches(g, path, strlen(path)), words);
    const char *slash = strrchr(path, '/');
    if (!slash || glob_is_basename_only(g)) {
        const char *name = slash ? slash + 1 : path;
        const struct glob_set set = {.globs = &g, .n = 1};
        TEST_ASSERT_EQUAL_INT_MESSAGE(expected, glob_matches_basename(g, name, strlen(name)),
                                      words);
        TEST_ASSERT_EQUAL_INT_MESSAGE(expected, glob_set_matches(&set, name, strlen(name)), words);
    }
    glob_free(g);
}

#define yes(pattern, path) check(pattern, path, true)
#define no(pattern, path) check(pattern, path, false)

void test_glob__literal(void) {
    yes("a", "a");
    yes("a/b.c", "a/b.c");
    no("a", "b");
    no("a", "aa");
    no("aa", "a");
    no("a", "x/a");
    no("a", "A");
    yes(".git", ".git");
    no(".git", ".gitignore");
}

void test_glob__star(void) {
    yes("*", "a");
    yes("*", "");
    yes("*", ".hidden");
    no("*", "a/b");
    yes("*.lisp", "a.lisp");
    yes("*.lisp", ".lisp");
    no("*.lisp", "a.lisp.bak");
    no("*.lisp", "src/a.lisp");
    yes("src/*.lisp", "src/a.lisp");
    no("src/*.lisp", "src/x/a.lisp");
    yes("a*", "a");
    yes("a*c", "abc");
    yes("a*b*c", "aXbYbZc");
    no("a*b*c", "aXcYb");
    yes("*/*", "a/b");
    no("*/*", "a/b/c");
    yes("*a", "aaa");
    yes("*aab", "aaab");
}

void test_glob__question_mark(void) {
    yes("?", "a");
    no("?", "");
    no("?", "ab");
    no("?", "/");
    no("a?b", "a/b");
    yes("a?b", "axb");
    yes("a??", "abc");
    yes("*?", "a");
    no("*?", "");
}

void test_glob__question_mark_takes_a_character(void) {
    yes("?", "é");
    yes("?", "€");
    yes("?", "😀");
    no("??", "é");
    yes("??", "é€");
    yes("a?b", "a😀b");
    yes("?é?", "éé€");
    yes("*?b", "€b");
    no("*??", "€");
    yes("**?", "a/€");
    yes("é*", "éa");
    no("é", "è");
}

void test_glob__stray_bytes_are_characters(void) {
    yes("?", "\xFF");
    yes("??", "\xE2\x82");
    no("?", "\xE2\x82");
    yes("a?b", "a\x80"
               "b");
    yes("?a", "\xC3"
              "a");
    yes("*", "\xFF\xFE");
    yes("**/x", "\xFF/x");
    no("é", "\xC3");
}

void test_glob__double_star(void) {
    yes("**", "a");
    yes("**", "a/b/c");
    yes("a/**", "a/b");
    yes("a/**", "a/b/c");
    no("a/**", "a");
    no("a/**", "ab/c");
    yes("a**b", "a/x/b");
    yes("a**b", "ab");
    yes("**b", "a/b");
    yes("**b", "ab");
    yes("a**/b", "ax/y/b");
    yes("a**/b", "a/b");
    no("a**/b", "ab");
}

void test_glob__double_star_slash(void) {
    yes("**/a", "a");
    yes("**/a", "x/a");
    yes("**/a", "x/y/a");
    no("**/a", "xa");
    no("**/a", "x/ya");
    no("**/a", "a/x");
    yes("a/**/b", "a/b");
    yes("a/**/b", "a/x/b");
    yes("a/**/b", "a/x/y/b");
    no("a/**/b", "ab");
    no("a/**/b", "a/xb");
    no("a/**/b", "xa/b");
    yes("**/a/**/b", "a/b");
    yes("**/a/**/b", "x/a/y/b");
    no("**/a/**/b", "x/ya/b");
    yes("**/*", "a");
    yes("**/*", "x/y/a");
    yes("**/*.d.ts", "x/y/a.d.ts");
    yes("**/*/b", "a/b");
    no("**/*/b", "b");
    yes("**/?", "x/é");
    no("**/?", "x/éé");
    yes("**/a/*", "x/a/y");
    no("**/a/*", "x/a/y/z");
}

void test_glob__more_stars_than_two(void) {
    yes("***", "a/b");
    yes("***/a", "x/y/a");
    yes("**/**/**/a", "x/a");
    yes("a/**/**/b", "a/b");
    no("a/**/**/b", "axb");
    yes("**/**", "a");
    yes("a/**/**", "a/b");
    yes("x**/**/a", "xy/a");
    no("x**/**/a", "xya");
}

void test_glob__all_else_is_literal(void) {
    const char *const patterns[] = {"[a-z]", "{a,b}", "!a",  "\\*x",    "[",  "]",          "{",
                                    "}",     "+(a)",  "a|b", "[[:x:]]", "$a", "{{a,b},{c}}"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        yes(patterns[i], patterns[i]);
    no("[a-z]", "a");
    no("{a,b}", "a");
    no("!a", "b");
    no("\\*", "*");
    yes("\\*", "\\x");
}

void test_glob__refused_patterns(void) {
    char longest[4097];
    memset(longest, 'a', sizeof longest);
    TEST_ASSERT_NULL(glob_compile("", 0, &error));
    TEST_ASSERT_EQUAL_INT(AQFS_INVALID_ARGUMENT, error.code);
    TEST_ASSERT_NULL(glob_compile("a\0b", 3, &error));
    TEST_ASSERT_EQUAL_INT(AQFS_INVALID_ARGUMENT, error.code);
    TEST_ASSERT_NULL(glob_compile("a\xFF", 2, &error));
    TEST_ASSERT_EQUAL_INT(AQFS_INVALID_ARGUMENT, error.code);
    TEST_ASSERT_NULL(glob_compile(longest, 4097, &error));
    TEST_ASSERT_EQUAL_INT(AQFS_TOO_LONG, error.code);
    struct glob *g = glob_compile(longest, 4096, &error);
    TEST_ASSERT_NOT_NULL(g);
    glob_free(g);
    glob_free(NULL);
}

static bool basename_only(const char *pattern) {
    struct glob *g = compile(pattern);
    bool answer = glob_is_basename_only(g);
    glob_free(g);
    return answer;
}

void test_glob__basename_only(void) {
    TEST_ASSERT_TRUE(basename_only("**/a"));
    TEST_ASSERT_TRUE(basename_only("**/*.d.ts"));
    TEST_ASSERT_TRUE(basename_only("**/?x*y"));
    TEST_ASSERT_TRUE(basename_only("**/**/a"));
    TEST_ASSERT_FALSE(basename_only("a"));
    TEST_ASSERT_FALSE(basename_only("*"));
    TEST_ASSERT_FALSE(basename_only("**"));
    TEST_ASSERT_FALSE(basename_only("**/"));
    TEST_ASSERT_FALSE(basename_only("**/**"));
    TEST_ASSERT_FALSE(basename_only("**/a/b"));
    TEST_ASSERT_FALSE(basename_only("**/a**b"));
    TEST_ASSERT_FALSE(basename_only("x/**/a"));
}

static size_t depth(const char *pattern) {
    struct glob *g = compile(pattern);
    size_t answer = glob_depth(g);
    glob_free(g);
    return answer;
}

void test_glob__depth(void) {
    TEST_ASSERT_EQUAL_UINT(1, depth("*.c"));
    TEST_ASSERT_EQUAL_UINT(2, depth("a/?"));
    TEST_ASSERT_EQUAL_UINT(3, depth("*/*/*"));
    TEST_ASSERT_EQUAL_UINT(0, depth("**"));
    TEST_ASSERT_EQUAL_UINT(0, depth("**/a"));
    TEST_ASSERT_EQUAL_UINT(0, depth("a/b**"));
}

static const char *mistake(const char *pattern) {
    const char *words = glob_mistaken_syntax(pattern, strlen(pattern));
    return words ? words : "none";
}

void test_glob__mistaken_syntax(void) {
    TEST_ASSERT_EQUAL_STRING("`{a,b}` is not alternation here: give a list of globs",
                             mistake("*.{c,h}"));
    TEST_ASSERT_EQUAL_STRING("`[a-z]` is not a character class here", mistake("[A-Z]*"));
    TEST_ASSERT_EQUAL_STRING("a leading `!` does not negate here", mistake("!*.c"));
    TEST_ASSERT_EQUAL_STRING("`\\` does not escape here", mistake("a\\*"));
    TEST_ASSERT_EQUAL_STRING("none", mistake("**/a?*.c"));
    TEST_ASSERT_EQUAL_STRING("none", mistake("a!b"));
    TEST_ASSERT_EQUAL_STRING("none", mistake("}a{"));
    TEST_ASSERT_EQUAL_STRING("none", mistake("a["));
    TEST_ASSERT_EQUAL_STRING("none", mistake(""));
}

void test_glob__set(void) {
    const char *const patterns[] = {".git", "*.o", "core.?"};
    const size_t lengths[] = {4, 3, 6};
    struct glob_set set;
    TEST_ASSERT_EQUAL_INT(AQFS_OK, glob_set_compile(&set, patterns, lengths, 3, &error));
    TEST_ASSERT_TRUE(glob_set_matches(&set, ".git", 4));
    TEST_ASSERT_TRUE(glob_set_matches(&set, "x.o", 3));
    TEST_ASSERT_TRUE(glob_set_matches(&set, "core.7", 6));
    TEST_ASSERT_FALSE(glob_set_matches(&set, "git", 3));
    glob_set_free(&set);
    glob_set_free(&set);
}

void test_glob__set_of_none(void) {
    struct glob_set set;
    TEST_ASSERT_EQUAL_INT(AQFS_OK, glob_set_compile(&set, NULL, NULL, 0, &error));
    TEST_ASSERT_FALSE(glob_set_matches(&set, "a", 1));
    glob_set_free(&set);
}

void test_glob__set_with_a_bad_pattern_is_left_alone(void) {
    const char *const patterns[] = {"a", ""};
    const size_t lengths[] = {1, 0};
    struct glob_set set = {.n = 4711};
    TEST_ASSERT_EQUAL_INT(AQFS_INVALID_ARGUMENT,
                          glob_set_compile(&set, patterns, lengths, 2, &error));
    TEST_ASSERT_EQUAL_UINT(4711, set.n);
}

static size_t character(const char *s) {
    int32_t code_point;
    return utf8_decode(s, strlen(s), &code_point);
}

/* The glob language once more, as simply as possible.  FIRST is the beginning of the pattern. */
static bool naive(const char *first, const char *p, const char *s) {
    const size_t stars = strspn(p, "*");
    const char *rest = p + stars;
    if (stars >= 2 && *rest == '/' && (p == first || p[-1] == '/')) {
        for (const char *slash = strchr(s, '/'); slash; slash = strchr(slash + 1, '/')) {
            if (naive(first, rest + 1, slash + 1))
                return true;
        }
        return naive(first, rest + 1, s);
    }
    if (stars > 0) {
        for (;; s += character(s)) {
            if (naive(first, rest, s))
                return true;
            if (*s == '\0' || (*s == '/' && stars == 1))
                return false;
        }
    }
    if (*p == '\0' || *s == '\0')
        return *p == *s;
    if (*p == '?')
        return *s != '/' && naive(first, p + 1, s + character(s));
    return *p == *s && naive(first, p + 1, s + 1);
}

/* Appends. */
static void repeat(char *out, const char *piece, int times) {
    size_t len = strlen(out);
    while (times-- > 0) {
        for (const char *c = piece; *c; c++)
            out[len++] = *c;
    }
    out[len] = '\0';
}

static void random_text(uint64_t *state, const char *const *pieces, uint32_t count, uint32_t most,
                        char *out) {
    for (uint32_t i = sample_below(state, most) + 1; i > 0; i--)
        repeat(out, pieces[sample_below(state, count)], 1);
}

/* Checks PAIRS random pairs after a common beginning, which moves the states across words. */
static void check_against_naive(uint64_t state, int pairs, size_t beginning) {
    static const char *const in_patterns[] = {"a", "b", "é",  "/",   "*",
                                              "*", "?", "**", "**/", "/**/"};
    static const char *const in_paths[] = {"a", "a", "b", "é", "/", "/", "€", "\xFF", "\xC3"};
    int matches = 0;
    for (int i = 0; i < pairs; i++) {
        char pattern[200] = "", path[200] = "";
        size_t same = beginning ? beginning + sample_below(&state, 12) : 0;
        memset(pattern, 'x', same);
        memset(path, 'x', same);
        random_text(&state, in_patterns, 10, 7, pattern);
        random_text(&state, in_paths, 9, 8, path);
        bool expected = naive(pattern, pattern, path);
        check(pattern, path, expected);
        matches += expected;
    }
    TEST_ASSERT_TRUE(matches > pairs / 20); /* otherwise the pairs would prove little */
}

void test_glob__random_pairs(void) {
    check_against_naive(1, 200000, 0);
}

void test_glob__random_pairs_across_words(void) {
    check_against_naive(2, 50000, 55);
    check_against_naive(3, 20000, 119);
}

/* Patterns for which backtracking matchers take hours.  The test is that this one ends. */
static void match_often(const char *pattern, const char *path, int times, bool expected) {
    struct glob *g = compile(pattern);
    int matches = 0;
    for (int i = 0; i < times; i++)
        matches += glob_matches(g, path, strlen(path));
    TEST_ASSERT_EQUAL_INT(expected ? times : 0, matches);
    glob_free(g);
}

void test_glob__thirty_stars(void) {
    char pattern[200] = "", name[300] = "";
    repeat(pattern, "*a", 30);
    repeat(name, "a", 255);
    match_often(pattern, name, 10000, true);
    repeat(pattern, "*b*", 1); /* without a literal tail, which would decide at once */
    match_often(pattern, name, 10000, false);
}

void test_glob__thirteen_globstars(void) {
    char pattern[200] = "", path[200] = "";
    repeat(pattern, "**/a/", 13);
    repeat(path, "a/", 30);
    repeat(pattern, "?b", 1);
    repeat(path, "a", 1);
    match_often(pattern, path, 10000, false);
    pattern[strlen(pattern) - 2] = '\0';
    repeat(pattern, "?", 1);
    match_often(pattern, path, 10000, true);
}

void test_glob__longest_of_all(void) {
    char pattern[5000] = "", path[5000] = "";
    repeat(pattern, "*a", 2047);
    repeat(path, "a", 4095);
    match_often(pattern, path, 100, true);
    repeat(pattern, "b*", 1);
    match_often(pattern, path, 100, false);
}

void test_glob__braces_multiply_nothing(void) {
    char pattern[200] = "";
    repeat(pattern, "{a,b}", 30);
    match_often(pattern, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 10000, false);
    match_often(pattern, pattern, 10000, true);
}

static bool matches_all(const char *pattern) {
    struct glob *g = compile(pattern);
    bool all = glob_matches_all(g);
    glob_free(g);
    return all;
}

void test_glob__matches_all(void) {
    TEST_ASSERT_TRUE(matches_all("**"));
    TEST_ASSERT_TRUE(matches_all("***"));
    TEST_ASSERT_FALSE(matches_all("*"));
    TEST_ASSERT_FALSE(matches_all("**/*"));
    TEST_ASSERT_FALSE(matches_all("a/**"));
    TEST_ASSERT_FALSE(matches_all("**.c"));
}
