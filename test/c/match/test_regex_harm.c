/* SPDX-License-Identifier: MIT */
#include "regex_find.h"

#include "clock.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define MS 1000000

static char *repeat(const char *piece, size_t times, size_t *n) {
    size_t length = strlen(piece);
    char *text =
        calloc(1, length * times + 64); /* PCRE2 loads whole vectors, also beyond the text */
    for (size_t i = 0; i < times; i++)
        memcpy(text + i * length, piece, length);
    *n = length * times;
    return text;
}

static const char *const hostile[] = {
    "(a+)+$",
    "(.*)*x",
    "(a|aa)+$",
    ".*.*.*=",
    "(a*)*b",
    "(?:a|a|b)*c",
    "(a?){30}b",
    "(\\w+\\s?)*!",
    "(x+x+)+y|z",
    "(?=(a+))\\1*b",
    "^(([a-z])+.)+[A-Z]([a-z])+$",
    "a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?b",
    "(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)b",
    "(?R)?a(?1)?(b|$x)",
    "(a{1,30}){1,30}b",
    "a*a*a*a*a*a*b",
    "(?i)(.*?a){20}b",
    "[^b]*[^c]*d",
    ".*[^x]*y",
    "(?:.*a){9}b",
};

/* Every search ends, by its steps or at the deadline; by itself, some would take years.  How much
 * happens between two looks at the budget is measured by test_regex__one_call_is_bounded. */
static void check_harmless(const char *text, size_t n) {
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++) {
        struct regex *regex = compile(hostile[i], (struct regex_options){0});
        struct budget budget = {.steps_left = 30000, .deadline_ns = clock_now_ns() + 8 * MS};
        struct regex_scan *scan = regex_scan_new(regex, &budget);
        struct regex_match m;
        regex_scan_start(scan, text, n, 0);
        while (regex_scan_next(scan, &m))
            ;
        int code = regex_scan_code(scan);
        regex_scan_free(scan);
        regex_free(regex);
        TEST_ASSERT_TRUE_MESSAGE(code == AQFS_OK || code == AQFS_LIMIT, hostile[i]);
    }
}

void test_regex_harm__hostile_patterns_end_on_many_lines(void) {
    size_t n;
    char *text = repeat("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", 100000, &n);
    check_harmless(text, n);
    memset(text, 'a', n - 1);
    for (size_t i = 900; i < n; i += 1000)
        text[i] = '\n';
    check_harmless(text, n);
    free(text);
}

void test_regex_harm__hostile_patterns_end_on_one_long_line(void) {
    size_t n;
    char *text = repeat("a", 1 << 20, &n);
    check_harmless(text, n);
    text[10] = '\xFF';
    check_harmless(text, n);
    free(text);
}

void test_regex_harm__steps_are_spent_by_hostile_patterns_alone(void) {
    size_t n;
    char *line = repeat("var foo_12 = bar(baz); ", 100000, &n);
    struct regex *regex = compile("\\w+\\s*=\\s*\\d+", (struct regex_options){0});
    struct buf found = {0};
    TEST_ASSERT_EQUAL_INT(AQFS_OK, find(regex, line, n, 1000, &found));
    regex_free(regex);
    regex = compile("(\\w+\\s*)+=\\d", (struct regex_options){0});
    TEST_ASSERT_EQUAL_INT(AQFS_LIMIT, find(regex, line, 1000, 1000, &found));
    regex_free(regex);
    buf_free(&found);
    free(line);
}

static void *cancel_soon(void *flag) {
    nanosleep(&(struct timespec){.tv_nsec = 3 * MS}, NULL);
    __atomic_store_n((int32_t *)flag, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static void check_cancelled(const char *pattern, const char *text, size_t n) {
    int32_t flag = 0;
    struct budget budget = {.steps_left = INT64_MAX, .cancelled = &flag};
    struct regex *regex = compile(pattern, (struct regex_options){0});
    struct regex_scan *scan = regex_scan_new(regex, &budget);
    struct regex_match m;
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, cancel_soon, &flag));
    while (regex_scan_code(scan) == AQFS_OK) {
        regex_scan_start(scan, text, n, 0);
        while (regex_scan_next(scan, &m))
            ;
    }
    pthread_join(thread, NULL);
    TEST_ASSERT_EQUAL_INT_MESSAGE(AQFS_CANCELLED, regex_scan_code(scan), pattern);
    regex_scan_free(scan);
    regex_free(regex);
}

void test_regex_harm__cancelling_ends_any_pattern(void) {
    size_t n;
    char *line = repeat("a", 1 << 20, &n);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        check_cancelled(hostile[i], line, n);
    free(line);
    line = repeat("aaaa aaaa\n", 1 << 17, &n);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        check_cancelled(hostile[i], line, n);
    check_cancelled("aaaa", line, n);
    check_cancelled("b", line, n);
    free(line);
}

void test_regex_harm__a_full_stack_is_no_end(void) {
    size_t n;
    char *line = repeat("ab", 200000, &n);
    struct regex *regex = compile("^(?:(a)|(b))*$", (struct regex_options){0});
    struct buf found = {0};
    int code = find(regex, line, n, STEPS, &found);
    /* Either the interpreter decides, or nothing does; there is never a crash or a wrong answer. */
    if (code == AQFS_OK)
        TEST_ASSERT_EQUAL_STRING("1:0-400000", found.data);
    else
        TEST_ASSERT_EQUAL_INT(AQFS_LIMIT, code);
    regex_free(regex);
    buf_free(&found);
    free(line);
}
