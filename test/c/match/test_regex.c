/* SPDX-License-Identifier: MIT */
#include "regex_code.h"
#include "regex_find.h"

#include <stdlib.h>

static void check_with(const char *expected, const char *pattern, struct regex_options options,
                       const char *text, size_t n) {
    struct regex *regex = compile(pattern, options);
    struct buf found = {0};
    buf_str(&found, "");
    TEST_ASSERT_EQUAL_INT_MESSAGE(AQFS_OK, find(regex, text, n, STEPS, &found), pattern);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, found.data, pattern);
    buf_free(&found);
    regex_free(regex);
}

/* Checks a pattern in every way: fast and simple, compiled and interpreted. */
static void check_bytes(const char *expected, const char *pattern, struct regex_options options,
                        const char *text, size_t n) {
    for (int way = 0; way < 4; way++) {
        options.simple = way & 1;
        options.interpreted = way & 2;
        check_with(expected, pattern, options, text, n);
    }
}

static void check(const char *expected, const char *pattern, const char *text) {
    check_bytes(expected, pattern, (struct regex_options){0}, text, strlen(text));
}

static void check_ignoring_case(const char *expected, const char *pattern, const char *text) {
    check_bytes(expected, pattern, (struct regex_options){.ignore_case = true}, text, strlen(text));
}

static void check_literal(const char *expected, const char *pattern, const char *text) {
    check_bytes(expected, pattern, (struct regex_options){.literal = true}, text, strlen(text));
}

void test_regex__finds_the_first_match_of_each_line(void) {
    check("2:1-4 4:0-3", "foo", "bar\nafoo foo\n\nfoo");
    check("", "foo", "");
    check("", "foo", "fo\no\n");
    check("1:4-14 3:0-8", "[A-Z][a-z]+Error", "new RangeError\nnone\nNewError RangeError\n");
}

void test_regex__no_match_spans_lines(void) {
    const char *text = "a\nb\n\nc";
    check("", "a\\nb", text);
    check("", "a\\sb", text);
    check("", "a[^x]b", text);
    check("", "a\\Wb", text);
    check("", "a[\\s\\S]b", text);
    check("", "(?s)a.b", text);
    check("", "a\\R", text);
    check("", "a[\\x00-\\x20]", text);
    check("", "a[[:space:]]", text);
    check("", "a[[:ascii:]]", text);
    check("", "a[[:^alpha:]]", text);
    check("", "(?<*[^x][>)])b", text);
    check("", "a\\pC", text);
    check("", "a\\p{Cc}b", text);
    check("", "a\\p{C}b", text);
    check("", "a\\p{Common}b", text);
    check("", "a\\P{L}b", text);
    check("", "a\\PLb", text);
    check("", "a[\\p{Cc}]b", text);
    check("", "a\\v", text);
    check("", "a(?=\\n)", text);
    check("", "(?<=\\n)b", text);
    check("1:0-1", "a(?!b)", text);
    check("1:0-1 2:0-1 4:0-1", "[^x]+", text);
    check("1:0-1 2:0-1 4:0-1", "[\\s\\S]+", text);
}

/* Characters like a newline, among others, are found within a line. */
void test_regex__controls_are_characters(void) {
    const char *text = "a\tb\nab\n\tb\n";
    check("1:0-3", "a\\pCb", text);
    check("1:0-3", "a\\p{Cc}b", text);
    check("2:0-2", "a\\P{Cc}", text);
    check("1:1-3 3:0-2", "\\p{Cc}b", text);
}

void test_regex__anchors_are_the_ends_of_a_line(void) {
    const char *text = "ab\nb a\n\na\n";
    check("2:2-3 4:0-1", "a$", text);
    check("1:0-1 4:0-1", "^a", text);
    check("3:0-0", "^$", text);
    check("1:0-1 4:0-1", "\\Aa", text);
    check("2:2-3 4:0-1", "a\\z", text);
    check("2:2-3 4:0-1", "a\\Z", text);
    check("2:2-3 4:0-1", "(?-m)a$", text);
    check("1:0-1 4:0-1", "\\Ga", text);
    check("3:0-0", "^$", "a\nb\n\n");
    check("1:0-0 2:0-0", "^$", "\n\n");
}

void test_regex__an_empty_match_is_one_match_a_line(void) {
    check("1:0-0 2:0-2 3:0-0", "x*", "a\nxx\n\n");
    check("1:0-0 2:0-0", "", "a\nb");
    check("1:1-1", "(?<=a)", "ab\nb\n");
    check("1:1-1 2:0-0", "\\b$|(?=b)", "ab\nb\n");
}

void test_regex__a_start_behind_the_end_is_turned_round(void) {
    check("1:1-2", "a\\Kb", "ab\n");
    check("1:2-2", "ab\\K", "ab\n");
}

void test_regex__what_perl_knows_is_known(void) {
    check("1:0-4", "(\\w)(\\w)\\2\\1", "abba\nabab\n");
    check("1:0-2", "(?<q>['\"])\\k<q>", "''\n'\"\n");
    check("2:0-4", "^(\\((?1)*\\))+$", "(()\n(())\n");
    check("1:0-2", "(?x) a  b # and no more", "ab\na b\n");
    check("1:0-2", "a(?#comment)b", "ab\n");
    check("1:0-3", "\\Qa.b\\E", "a.b\naxb\n");
    check("1:0-4 2:0-3", "a\\Q.\\E+b", "a..b\na.b\nab\n");
    check("1:0-2", "(?>a+)b", "ab\n");
    check("1:0-7", "(?:foo:|foo)\\w*:bar", "foo:bar\n");
    check("1:0-2", "(.|)S*+[b-z]{2,}", "bc.\n");
    check("", ".(?>.+.{0,3}?|.){2,}", "\t\"a\"\n");
    check("1:0-3", "a{2,}+b", "aab\nab\n");
}

void test_regex__all_of_unicode(void) {
    check("1:0-5", "\\w+", "caf\xC3\xA9");
    check("1:0-4", "^...$",
          "a\xC3\xA9"
          "b\n");
    check("2:0-3", "^.$", "ab\n\xE5\x90\x8D\n");
    check("1:0-2", "[\xC3\xA0-\xC3\xBF]", "\xC3\xA9\ne\n");
    check("1:0-4", "\xC3\xA9+", "\xC3\xA9\xC3\xA9\n");
    check("", "\\bete\\b",
          "\xC3\xA9"
          "ete\n");
    check("1:0-5", "a\\sb",
          "a\xE2\x80\x83"
          "b\n");
    check("1:0-2", "\\x{e9}", "\xC3\xA9\n");
    check("1:0-2 3:0-2", "\\p{Lu}", "\xC3\x89\ne\n\xC3\x80");
    check_ignoring_case("1:0-2 2:0-2", "\xC3\xA9", "\xC3\x89\n\xC3\xA9\nE\n");
    check_ignoring_case("1:0-3 2:0-5", "ask", "ASK\nas\xE2\x84\xAA\n");
    check("1:0-3 2:0-3", "(?i)ask", "ASK\nask\n");
}

void test_regex__a_bad_byte_is_one_character(void) {
    const char text[] = "a\xFFz\na\xC3z\na\xE5\x90z\naz\n";
    check("1:0-3 2:0-3", "a.z", text);
    check("1:0-3 2:0-3", "a[^b]z", text);
    check("1:0-3 2:0-3 3:0-4 4:0-2", "a.*z", text);
    check("1:0-3 2:0-3 3:0-4", "a\\W+z", text);
    check("", "a\\wz", text);
}

void test_regex__nul_and_cr_are_characters(void) {
    const char text[] = "a\0b\nc\r\n";
    check_bytes("1:0-3", "a.b", (struct regex_options){0}, text, sizeof text - 1);
    check_bytes("1:0-3", "a\\x00b", (struct regex_options){0}, text, sizeof text - 1);
    check_bytes("", "c$", (struct regex_options){0}, text, sizeof text - 1);
    check_bytes("2:0-2", "c.$", (struct regex_options){0}, text, sizeof text - 1);
}

void test_regex__literal_text_means_itself(void) {
    check_literal("1:1-4", "a.b", "xa.b\naxb\n");
    check_literal("1:0-2", "\\E", "\\E\n");
    check_literal("1:0-6", "(*UTF)", "(*UTF)\n");
    check_literal("", "a\nb", "a\nb\n");
    check_literal("1:0-4", "\xC3\xA9+b", "\xC3\xA9+b\n");
}

void test_regex__some_patterns_are_refused(void) {
    static const struct {
        const char *pattern, *message;
    } cases[] = {
        {"(*UTF)a", "settings such as (*UTF)"},
        {"(*LIMIT_MATCH=9)a", "settings such as (*UTF)"},
        {"(*NO_JIT)a", "settings such as (*UTF)"},
        {"a\\Cb", "using \\C is disabled"},
        {"a\xFF", "not valid UTF-8"},
        {"foo(", "missing closing parenthesis, at character 4, after foo("},
        {"[z-a]", "range out of order in character class, at character "},
        {"(a)(*scs:(1)b(*ACCEPT))", "(*ACCEPT) and (*scs:...) are not allowed together"},
        {"*", "quantifier does not follow a repeatable item"},
        {"ab\\", "\\ at end of pattern"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct regex *regex = NULL;
        const char *p = cases[i].pattern;
        struct regex_options options = {0};
        TEST_ASSERT_EQUAL_INT(AQFS_INVALID_ARGUMENT,
                              regex_compile(p, strlen(p), &options, &regex, &error));
        TEST_ASSERT_NULL(regex);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, cases[i].message), error.message);
    }
}

/* Versions of PCRE2 differ about these; each way follows the library that is loaded. */
static void check_either(const char *one, const char *other, const char *pattern,
                         const char *text) {
    struct regex *regex = compile(pattern, (struct regex_options){.simple = true});
    struct buf found = {0};
    buf_str(&found, "");
    TEST_ASSERT_EQUAL_INT(AQFS_OK, find(regex, text, strlen(text), STEPS, &found));
    regex_free(regex);
    check(strcmp(found.data, one) == 0 ? one : other, pattern, text);
    buf_free(&found);
}

void test_regex__a_repeat_is_what_the_library_takes_for_one(void) {
    check_either("1:0-5", "2:0-2", "^a{,2}$", "a{,2}\naa\n");
    check_either("1:0-6", "2:0-2", "^a{ 2 }$", "a{ 2 }\naa\n");
    check_either("1:0-5", "2:0-2", "^a{\t2}$", "a{\t2}\naa\n");
    check("1:0-4", "^a{,}$", "a{,}\naa\n");
    check("1:0-3", "^a{}$", "a{}\naa\n");
}

void test_regex__a_lookbehind_may_vary_where_the_library_is_right(void) {
    struct regex_options options = {0};
    struct regex *regex = NULL;
    if (regex_compile("(?<=ab?)c", 9, &options, &regex, &error) == AQFS_OK) {
        check("1:1-2 2:2-3", "(?<=ab?)c", "ac\nabc\nbc\n");
        check("1:3-4", "(?<=a|b.{1,9})c",
              "b\xC3\xA9"
              "c\nc\n");
        check("", "(?<=a{0,2}$)b", "ab\naab\n");
        check("2:1-2", "(?<=\\ba{1,2}\\B)b", "a b\nab\n");
    } else {
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "lookbehind"), error.message);
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, "length"), error.message);
    }
    regex_free(regex);
}

void test_regex__repeats_tried_in_vain_hide_no_match(void) {
    check("1:1-4", "-*[ab]+b", "a-bb\n");
    check("1:2-4", "-?\\D+a", "x1Aa\n");
    check("1:2-4", "s?([^a]+x)", "sa1x\n");
}

/* The beginning of a match is not looked for wrongly. */
void test_regex__counted_repeats_hide_no_match(void) {
    check("1:0-4 2:0-5", "xs?=.{2}", "x=57\xC3\xA9\nxs=57\nx=5\n");
    check("1:0-4 2:0-5", "xs?=\\d{2}", "x=57\xC3\xA9\nxs=57\nx=5\n");
    check("1:0-4 2:0-5 3:0-3", "xs?=[0-9]{0,2}", "x=57\nxs=57\nx=5\n");
    check("1:0-4 2:0-5", "xs?=\\h{2}", "x=  \nxs=  \nx= \n");
    check("1:0-4 2:0-1", "\xC3\xA9.{2}|{", "\xC3\xA9xy\n{x\xC3\xA9\n");
}

void test_regex__a_pattern_has_bounds(void) {
    struct regex *regex = NULL;
    struct regex_options options = {0};
    char *parens = malloc(200000);
    memset(parens, '(', 100000);
    memset(parens + 100000, ')', 100000);
    TEST_ASSERT_EQUAL_INT(AQFS_INVALID_ARGUMENT,
                          regex_compile(parens, 200000, &options, &regex, &error));
    memset(parens + 5000, ')', 5000);
    TEST_ASSERT_EQUAL_INT(AQFS_INVALID_ARGUMENT,
                          regex_compile(parens, 10000, &options, &regex, &error));
    TEST_ASSERT_EQUAL_INT(AQFS_INVALID_ARGUMENT,
                          regex_compile("a\0b", 3, &options, &regex, &error));
    free(parens);
}

static void check_edges(int expected, const char *pattern, const char *text, unsigned edges) {
    struct regex *regex = compile(pattern, (struct regex_options){0});
    struct budget budget = {.steps_left = STEPS};
    struct regex_scan *scan = regex_scan_new(regex, &budget);
    struct regex_match m;
    int count = 0;
    regex_scan_start(scan, text, strlen(text), edges);
    while (regex_scan_next(scan, &m))
        count++;
    TEST_ASSERT_EQUAL_INT_MESSAGE(expected, count, pattern);
    regex_scan_free(scan);
    regex_free(regex);
}

void test_regex__a_part_of_a_line_has_no_ends(void) {
    check_edges(2, "^a", "a\na", 0);
    check_edges(1, "^a", "a\na", REGEX_BEGINS_INSIDE);
    check_edges(1, "a$", "a\na", REGEX_ENDS_INSIDE);
    check_edges(0, "^a|a$", "aa", REGEX_BEGINS_INSIDE | REGEX_ENDS_INSIDE);
    check_edges(2, "a", "a\na", REGEX_BEGINS_INSIDE | REGEX_ENDS_INSIDE);
}

/* -- how much one call of PCRE2 can be -------------------------------------------------------- */

/* From each byte of a chunk, one repeat may reach to its end; where there are more, PCRE2 tries as
 * often as `backtracks` allows.  That bounds what happens between two looks at the budget. */
static void check_work(const char *pattern, unsigned repeats, uint64_t ways) {
    static const uint64_t most = 64 << 20;
    struct regex *regex = compile(pattern, (struct regex_options){0});
    uint64_t chunk = regex->chunk, each = ways;
    if (repeats > 0)
        each *= chunk;
    if (repeats > 1)
        each *= regex->backtracks;
    TEST_ASSERT_TRUE_MESSAGE(chunk > 0, pattern);
    TEST_ASSERT_TRUE_MESSAGE(chunk * each <= most, pattern);
    /* and a chunk is not smaller than that asks for: halves of 16 KiB are tried */
    TEST_ASSERT_TRUE_MESSAGE(chunk == 16384 || chunk * each > most / 8, pattern);
    regex_free(regex);
}

void test_regex__one_call_is_bounded(void) {
    check_work("a", 0, 1);
    check_work("a|b|c", 0, 3);
    check_work("a+b", 1, 1);
    check_work("(?:a|b)c*", 1, 2);
    check_work("a+b+", 2, 1);
    check_work("a+b+c+", 3, 1);
    check_work("(?:a|b)c*d*", 2, 2);
}
