/* SPDX-License-Identifier: MIT */
#include "snippet.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

static char shown[4096];

static struct line_range show(const char *text, const struct span *spans, size_t n, size_t context,
                              size_t limit) {
    struct buf out = {0};
    const struct text_ref ref = {text, strlen(text)};
    struct line_range range = snippet_add(&out, ref, spans, n, context, limit);
    TEST_ASSERT_FALSE(out.failed);
    TEST_ASSERT_TRUE(out.len <= limit);
    (void)snprintf(shown, sizeof shown, "%s", out.data ? out.data : "");
    buf_free(&out);
    return range;
}

static void check(const char *expected, size_t first, size_t last, const char *text, size_t at,
                  size_t len, size_t context) {
    const struct span span = {at, len};
    struct line_range range = show(text, &span, 1, context, sizeof shown);
    TEST_ASSERT_EQUAL_STRING(expected, shown);
    TEST_ASSERT_EQUAL_UINT64(first, range.first);
    TEST_ASSERT_EQUAL_UINT64(last, range.last);
}

void test_snippet__the_changed_lines_stand_among_their_neighbours(void) {
    check("     2\tb\n     3\tc\n     4\td\n", 3, 3, "a\nb\nc\nd\ne\n", 4, 1, 1);
    check("     1\ta\n     2\tb\n", 1, 1, "a\nb\nc\n", 0, 1, 1);
    check("     1\ta\n     2\tb\n     3\tc\n", 2, 3, "a\nb\nc\n", 2, 3, 1);
    check("     3\tc\n", 3, 3, "a\nb\nc", 4, 1, 0);
}

void test_snippet__a_span_that_ends_in_a_newline_touches_no_further_line(void) {
    check("     2\tb\n", 2, 2, "a\nb\nc\n", 2, 2, 0);
}

void test_snippet__what_was_removed_is_where_it_was(void) {
    check("     2\tb\n", 2, 2, "a\nb\nc\n", 2, 0, 0);
    check("     3\tc\n", 3, 3, "a\nb\nc\n", 6, 0, 0); /* no line follows the last newline */
    check("     3\tc\n", 3, 3, "a\nb\nc", 5, 0, 0);
    check("", 0, 0, "", 0, 0, 3);
}

void test_snippet__several_spans_share_their_lines(void) {
    const char *text = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";
    const struct span spans[] = {{2, 1}, {6, 1}, {16, 1}};
    struct line_range range = show(text, spans, 3, 1, sizeof shown);
    TEST_ASSERT_EQUAL_STRING("     1\t1\n     2\t2\n     3\t3\n     4\t4\n     5\t5\n...\n"
                             "     8\t8\n     9\t9\n",
                             shown);
    TEST_ASSERT_EQUAL_UINT64(2, range.first);
    TEST_ASSERT_EQUAL_UINT64(9, range.last);

    const struct span same[] = {{2, 0}, {3, 0}};
    range = show(text, same, 2, 0, sizeof shown);
    TEST_ASSERT_EQUAL_STRING("     2\t2\n", shown);
    TEST_ASSERT_EQUAL_UINT64(2, range.last);
}

void test_snippet__neighbours_need_no_dots(void) {
    const struct span spans[] = {{0, 1}, {2, 1}};
    (void)show("1\n2\n3\n", spans, 2, 0, sizeof shown);
    TEST_ASSERT_EQUAL_STRING("     1\t1\n     2\t2\n", shown);
}

void test_snippet__what_is_cut_says_where_to_go_on(void) {
    char text[2000];
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = i % 20 == 19 ? '\n' : 'x';
    text[sizeof text - 1] = '\0';
    const struct span spans[] = {{0, 1000}, {1800, 3}};
    struct line_range range = show(text, spans, 2, 1, 200);
    TEST_ASSERT_EQUAL_STRING_LEN("     1\txxx", shown, 9);
    TEST_ASSERT_NOT_NULL(strstr(shown, "[truncated: continue at line 6]\n"));
    TEST_ASSERT_EQUAL_UINT64(1, range.first);
    TEST_ASSERT_EQUAL_UINT64(91, range.last); /* the range is whole */
    (void)show(text, spans, 2, 1, 80);
    TEST_ASSERT_EQUAL_STRING("[truncated: continue at line 1]\n", shown);
}

void test_snippet__a_long_line_is_cut(void) {
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    const struct span span = {1500, 1};
    (void)show(text, &span, 1, 0, sizeof shown);
    TEST_ASSERT_NOT_NULL(strstr(shown, "\u2026 [truncated line]\n"));
}
