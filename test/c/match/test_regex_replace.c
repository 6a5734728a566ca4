/* Tests replacing all matches in a line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "regex_replace.h"

#include "unity.h"

#include <string.h>

static struct error error;

static void check_replaced(const char *expected, size_t count, const char *pattern,
                           const char *with, const char *line) {
    struct regex_replacement *r = NULL;
    struct buf out = {0};
    size_t counted = 0;
    TEST_ASSERT_EQUAL_MESSAGE(
        AQFS_OK,
        regex_replacement_compile(pattern, strlen(pattern), with, strlen(with), &r, &error),
        error.message);
    TEST_ASSERT_EQUAL(AQFS_OK,
                      regex_replacement_apply(r, line, strlen(line), &out, &counted, &error));
    TEST_ASSERT_EQUAL_STRING(expected, out.data ? out.data : "");
    TEST_ASSERT_EQUAL_UINT64(count, counted);
    buf_free(&out);
    regex_replacement_free(r);
}

void test_regex_replace__all_matches(void) {
    check_replaced("xbxb", 2, "a", "x", "abab");
    check_replaced("none", 0, "a", "x", "none");
    check_replaced("bb", 2, "a", "", "abab");
    check_replaced("A\u00e9A", 2, "\\W*\\d", "A", "1\u00e9 2");
}

void test_regex_replace__groups(void) {
    check_replaced("b-a", 1, "(\\w)(\\w)", "$2-$1", "ab");
    check_replaced("a0", 1, "(a)", "${1}0", "a");
    check_replaced("<ab>", 1, "ab", "<$0>", "ab");
    check_replaced("$1", 1, "(a)", "$$1", "a");
    check_replaced("v=k", 1, "(?<key>k)=(?<value>v)", "${value}=${key}", "k=v");
    check_replaced("[]", 1, "(a)|b", "[$1]", "b");
}

void test_regex_replace__empty_matches(void) {
    check_replaced("-a-b-", 3, "x*", "-", "ab");
    check_replaced("-a-b-", 3, "x*", "-", "axb"); /* none right behind the x */
    check_replaced("> ", 1, "^", "> ", "");
    check_replaced("a;", 1, "$", ";", "a");
    check_replaced("R", 1, ".*", "R", "ab");
    check_replaced("-\u00e9-", 2, "", "-", "\u00e9");
}

static void check_replacement_refused(const char *part, const char *pattern, const char *with) {
    struct regex_replacement *r = NULL;
    TEST_ASSERT_EQUAL(
        AQFS_INVALID_ARGUMENT,
        regex_replacement_compile(pattern, strlen(pattern), with, strlen(with), &r, &error));
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, part), error.message);
    TEST_ASSERT_NOT_EQUAL('\0', error.hint[0]);
}

void test_regex_replace__groups_that_are_not_there(void) {
    check_replacement_refused("no such group: $1", "a", "$1");
    check_replacement_refused("no such group: $99999999999999", "(a)", "$99999999999999999999");
    check_replacement_refused("no such group: ${key}", "(a)", "${key}");
    check_replacement_refused("names no group: $", "(a)", "cost $");
    check_replacement_refused("names no group: ${1", "(a)", "${1");
    check_replacement_refused("names no group: $x", "(a)", "$x");
    check_replacement_refused("groups are written $1, not \\1: \\1", "(a)", "\\1");
}

void test_regex_replace__what_is_too_complex_is_no_half_result(void) {
    struct regex_replacement *r = NULL;
    char line[200];
    struct buf out = {0};
    size_t count = 0;
    memset(line, 'a', sizeof line);
    TEST_ASSERT_EQUAL(AQFS_OK, regex_replacement_compile("(a|aa)*(a|aa)*b", 15, "", 0, &r, &error));
    TEST_ASSERT_EQUAL(AQFS_LIMIT,
                      regex_replacement_apply(r, line, sizeof line, &out, &count, &error));
    buf_free(&out);
    regex_replacement_free(r);
}
