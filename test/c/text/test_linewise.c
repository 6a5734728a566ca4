/* SPDX-License-Identifier: MIT */
#include "linewise.h"

#include "unity.h"

#include <stdlib.h>
#include <string.h>

void test_linewise__an_unfinished_line_is_one(void) {
    TEST_ASSERT_EQUAL_UINT64(0, linewise_count("", 0));
    TEST_ASSERT_EQUAL_UINT64(0, linewise_count(NULL, 0));
    TEST_ASSERT_EQUAL_UINT64(1, linewise_count("a", 1));
    TEST_ASSERT_EQUAL_UINT64(1, linewise_count("a\n", 2));
    TEST_ASSERT_EQUAL_UINT64(2, linewise_count("a\nb", 3));
    TEST_ASSERT_EQUAL_UINT64(2, linewise_count("\n\n", 2));
}

void test_linewise__one_goes_up_and_down(void) {
    const char text[] = "ab\n\ncd\ne";
    const size_t n = sizeof text - 1;
    TEST_ASSERT_EQUAL_UINT64(0, linewise_start(text, 0));
    TEST_ASSERT_EQUAL_UINT64(0, linewise_start(text, 2));
    TEST_ASSERT_EQUAL_UINT64(3, linewise_start(text, 3));
    TEST_ASSERT_EQUAL_UINT64(4, linewise_start(text, 6));
    TEST_ASSERT_EQUAL_UINT64(7, linewise_start(text, n));

    TEST_ASSERT_EQUAL_UINT64(7, linewise_above(text, 7, 0));
    TEST_ASSERT_EQUAL_UINT64(4, linewise_above(text, 7, 1));
    TEST_ASSERT_EQUAL_UINT64(3, linewise_above(text, 7, 2));
    TEST_ASSERT_EQUAL_UINT64(0, linewise_above(text, 7, 9));

    TEST_ASSERT_EQUAL_UINT64(3, linewise_below(text, n, 0, 1));
    TEST_ASSERT_EQUAL_UINT64(4, linewise_below(text, n, 0, 2));
    TEST_ASSERT_EQUAL_UINT64(n, linewise_below(text, n, 0, 4));
    TEST_ASSERT_EQUAL_UINT64(n, linewise_below(text, n, 7, 9));
}

void test_linewise__what_is_in_common_is_found_wherever_it_ends(void) {
    enum { N = 20000 };
    char *a = malloc(N), *b = malloc(N);
    TEST_ASSERT_NOT_NULL(a);
    TEST_ASSERT_NOT_NULL(b);
    memset(a, 'x', N);
    memset(b, 'x', N);
    TEST_ASSERT_EQUAL_UINT64(N, common_head(a, b, N));
    TEST_ASSERT_EQUAL_UINT64(N, common_tail(a + N, b + N, N));
    for (size_t at = 0; at < N; at += 997) {
        b[at] = 'y';
        TEST_ASSERT_EQUAL_UINT64(at, common_head(a, b, N));
        TEST_ASSERT_EQUAL_UINT64(N - 1 - at, common_tail(a + N, b + N, N));
        b[at] = 'x';
    }
    free(a);
    free(b);
}
