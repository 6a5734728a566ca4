/* test_ignore.c -- .gitignore as git reads it; git itself is asked whether it agrees.
 *
 * SPDX-License-Identifier: MIT
 */
#include "ignore.h"
#include "support.h"

#include "unity.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void setUp(void) {
    support_start();
}

void tearDown(void) {
    support_end();
}

static const struct {
    const char *rules, *path; /* a path that ends in a slash is a directory */
    bool ignored;
} cases[] = {
    {"*.o", "a.o", true},
    {"*.o", "d/a.o", true},
    {"*.o", "a.oo", false},
    {"/a", "a", true},
    {"/a", "d/a", false},
    {"d/a", "d/a", true},
    {"d/a", "e/d/a", false},
    {"a/", "a", false},
    {"a/", "a/", true},
    {"a/", "d/a/", true},
    {"*.o\n!keep.o", "keep.o", false},
    {"!keep.o\n*.o", "keep.o", true},
    {"# a", "# a", false},
    {"\\#a", "#a", true},
    {"\\!a", "!a", true},
    {"a ", "a", true},
    {"a\\ ", "a ", true},
    {"a\\ ", "a", false},
    {"a\r", "a", true},
    {"\xEF\xBB\xBF"
     "a",
     "a", true},
    {"**/x", "x", true},
    {"**/x", "d/e/x", true},
    {"d/**", "d/x", true},
    {"d/**", "d/", false},
    {"d/**/x", "d/x", true},
    {"d/**/x", "d/e/f/x", true},
    {"d/**/x", "d/e/f/y", false},
    {"a**b", "axxb", true},
    {"d/a**b", "d/ax/b", false},
    {"?.c", "a.c", true},
    {"?.c", "ab.c", false},
    {"[ab].c", "b.c", true},
    {"[!ab].c", "b.c", false},
    {"[^ab].c", "c.c", true},
    {"[a-c].c", "b.c", true},
    {"[]a].c", "].c", true},
    {"[[:digit:]].c", "7.c", true},
    {"[[:digit:]].c", "x.c", false},
    {"[a", "[a", false},
    {"d/*", "d/x", true},
    {"*/x", "d/x", true},
    {"*/x", "d/e/x", false},
    {"*", "x", true},
    {"", "x", false},
    {"/", "x", false},
    {"foo/*\n!foo/bar", "foo/bar", false},
    {"[[:nope:]a]", "a", false},
    {"a\\", "a\\", false},
    {"d/a**/b", "d/ab", true}, /* git compares what is behind the literal beginning */
    {"[a-c-z]", "k", false},
    {"*.o\n!a.o\n**/a.o/", "a.o/", true},
    {"**/x*", "d/e/xy", true},
    {"*a", "a", true},
    {"a*b*c*d", "axbxcxd", true},
    {"a*b*c*d", "axbxcx", false},
};
#define CASES (sizeof cases / sizeof *cases)

static bool is_ignored(const char *text, const char *path) {
    struct ignore *rules = ignore_read(text, strlen(text));
    TEST_ASSERT_NOT_NULL(rules);
    size_t n = strlen(path), left = SIZE_MAX;
    bool is_directory = n > 0 && path[n - 1] == '/';
    enum ignored says = ignore_says(rules, path, n - is_directory, is_directory, &left);
    ignore_free(rules);
    return says == IGNORE_IT;
}

void test_ignore__cases(void) {
    for (size_t i = 0; i < CASES; i++) {
        char message[200];
        (void)snprintf(message, sizeof message, "%s on %s", cases[i].rules, cases[i].path);
        TEST_ASSERT_EQUAL_MESSAGE(cases[i].ignored, is_ignored(cases[i].rules, cases[i].path),
                                  message);
    }
}

void test_ignore__git_agrees(void) {
    char command[4096];
    make_directory(project_path(""));
    (void)snprintf(command, sizeof command, "git -C '%s' init -q . 2>/dev/null", project_path(""));
    TEST_ASSERT_EQUAL(0, system(command)); // NOLINT(cert-env33-c): a test, not the core
    for (size_t i = 0; i < CASES; i++) {
        size_t n = strlen(cases[i].path);
        bool is_directory = cases[i].path[n - 1] == '/';
        char path[100];
        (void)snprintf(path, sizeof path, "%.*s", (int)(n - is_directory), cases[i].path);
        make_file(project_path(".gitignore"), cases[i].rules);
        if (is_directory) /* git looks at the file itself */
            make_directory(project_path(path));
        (void)snprintf(command, sizeof command,
                       "GIT_CONFIG_GLOBAL=/dev/null git -C '%s' check-ignore -q --no-index -- '%s'",
                       project_path(""), path);
        bool says = system(command) == 0; // NOLINT(cert-env33-c): a test, not the core
        TEST_ASSERT_EQUAL_MESSAGE(cases[i].ignored, says, command);
        remove_all(project_path(path));
    }
}

/* To git, neither a vertical tab nor a form feed is space. */
static int is_space_to_git(int c) {
    return c != '\v' && c != '\f' && isspace(c);
}

/* The locale of a test is C, in which isalpha and its like say what git's own table says. */
void test_ignore__classes_of_characters(void) {
    static const struct {
        const char *name;
        int (*has)(int c);
    } classes[] = {
        {"alnum", isalnum}, {"alpha", isalpha},         {"blank", isblank}, {"cntrl", iscntrl},
        {"digit", isdigit}, {"graph", isgraph},         {"lower", islower}, {"print", isprint},
        {"punct", ispunct}, {"space", is_space_to_git}, {"upper", isupper}, {"xdigit", isxdigit},
    };
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        char rule[20], message[60];
        (void)snprintf(rule, sizeof rule, "x[[:%s:]]", classes[i].name);
        for (int c = 1; c < 256; c++) {
            const char path[] = {'x', (char)c, '\0'};
            bool wanted = c != '/' && classes[i].has(c) != 0;
            (void)snprintf(message, sizeof message, "%s on character %d", rule, c);
            TEST_ASSERT_EQUAL_MESSAGE(wanted, is_ignored(rule, path), message);
        }
    }
}

/* Threat 110: rules that are found by hashing cost nothing to ask. */
void test_ignore__many_rules_cost_nothing(void) {
    enum { RULES = 500000, SPACE = 40 };
    char *text = malloc((size_t)RULES * SPACE), *end = text;
    for (int i = 0; i < RULES; i++)
        end += snprintf(end, SPACE,
                        i % 3 == 0   ? "name-%d\n"
                        : i % 3 == 1 ? "*.e%d\n"
                                     : "/d/path-%d\n",
                        i);
    struct ignore *rules = ignore_read(text, (size_t)(end - text));
    size_t left = 1;
    TEST_ASSERT_NOT_NULL(rules);
    TEST_ASSERT_EQUAL(IGNORE_IT, ignore_says(rules, "x/name-300000", 13, false, &left));
    TEST_ASSERT_EQUAL(IGNORE_IT, ignore_says(rules, "x.e400000", 9, false, &left));
    TEST_ASSERT_EQUAL(IGNORE_IT, ignore_says(rules, "d/path-200000", 13, true, &left));
    TEST_ASSERT_EQUAL(IGNORE_UNSAID, ignore_says(rules, "d/name-300001", 13, true, &left));
    TEST_ASSERT_EQUAL(1, left);
    ignore_free(rules);
    free(text);
}

/* Threat 110: what must be tried ends when nothing is left to spend. */
void test_ignore__trying_has_an_end(void) {
    static const char rule[] = "*a*a*a*a*b*\n";
    char *text = calloc(30000, sizeof rule), *name = strdup(repeated("a", 200));
    for (size_t i = 0; i < 30000; i++)
        memcpy(text + i * (sizeof rule - 1), rule, sizeof rule);
    struct ignore *rules = ignore_read(text, strlen(text));
    size_t left = 100000;
    TEST_ASSERT_EQUAL(IGNORE_UNSAID, ignore_says(rules, name, 200, false, &left));
    TEST_ASSERT_EQUAL(0, left);
    ignore_free(rules);
    free(text), free(name);
}

/* Threats 51 and 110: no pattern is slow. */
void test_ignore__hostile_patterns_are_quick(void) {
    char *path = strdup(repeated("a/", 2000)), *many = strdup(repeated("**/a/", 500));
    char *stars = strdup(repeated("*a", 2000)), *name = strdup(repeated("a", 4000));
    clock_t start = clock();
    TEST_ASSERT_TRUE(is_ignored(many, path) || true);
    memcpy(many + strlen(many) - 2, "b", 2);
    (void)is_ignored(many, path);
    stars[strlen(stars) - 1] = 'b';
    TEST_ASSERT_FALSE(is_ignored(stars, name));
    TEST_ASSERT_TRUE((double)(clock() - start) / CLOCKS_PER_SEC < 1.0);
    free(path), free(many), free(stars), free(name);
}
