/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct endings endings_of(const char *text, size_t n, size_t piece) {
    struct endings e = {0};
    for (size_t at = 0; at < n; at += piece)
        endings_add(&e, text + at, n - at < piece ? n - at : piece);
    return e;
}

static void check_endings(const char *name, int64_t lines, const char *text) {
    size_t n = strlen(text);
    for (size_t piece = 1; piece <= n + 1; piece++) {
        struct endings e = endings_of(text, n, piece);
        TEST_ASSERT_EQUAL_STRING_MESSAGE(name, endings_name(&e), text);
        TEST_ASSERT_EQUAL_INT64_MESSAGE(lines, endings_lines(&e), text);
        TEST_ASSERT_EQUAL(strcmp(name, "crlf") == 0, endings_are_crlf(&e));
    }
}

void test_lines__endings_have_a_name_however_they_are_cut(void) {
    check_endings("none", 0, "");
    check_endings("none", 1, "a");
    check_endings("lf", 1, "\n");
    check_endings("lf", 2, "a\nb");
    check_endings("lf", 2, "a\nb\n");
    check_endings("crlf", 1, "\r\n");
    check_endings("crlf", 2, "a\r\nb\r\n");
    check_endings("crlf", 2, "a\r\nb");
    check_endings("mixed", 2, "a\r\nb\n");
    check_endings("mixed", 2, "a\nb\r\n");
    check_endings("cr", 1, "a\rb\r");
}

void test_lines__a_lone_cr_a_form_feed_and_u2028_end_no_line(void) {
    check_endings("lf", 1,
                  "a\rb\fc\xE2\x80\xA8"
                  "d\n");
    check_endings("crlf", 1, "a\rb\r\n");
    check_endings("crlf", 1, "a\r\r\n");
}

static void check_crlf_round_trip(const char *crlf, const char *lf) {
    char text[64];
    (void)snprintf(text, sizeof text, "%s", crlf);
    size_t n = text_crlf_to_lf(text, strlen(text));
    TEST_ASSERT_EQUAL_UINT64(strlen(lf), n);
    TEST_ASSERT_EQUAL_MEMORY(lf, text, n + (n == 0));
    struct buf back = {0};
    text_add_crlf(&back, text, n);
    buf_char(&back, '\0');
    TEST_ASSERT_EQUAL_STRING(crlf, back.data);
    buf_free(&back);
}

void test_lines__crlf_becomes_lf_and_comes_back(void) {
    check_crlf_round_trip("a\r\nb\r\n", "a\nb\n");
    check_crlf_round_trip("a\r\nb", "a\nb");
    check_crlf_round_trip("\r\n\r\n", "\n\n");
    check_crlf_round_trip("a\rb\r\n\r", "a\rb\n\r");
    check_crlf_round_trip("a\r\r\n", "a\r\n");
}

void test_lines__next_line_is_behind_the_newline_or_at_the_end(void) {
    const char text[] = "ab\n\nc";
    const char *end = text + strlen(text);
    TEST_ASSERT_EQUAL_PTR(text + 3, text_next_line(text, end));
    TEST_ASSERT_EQUAL_PTR(text + 4, text_next_line(text + 3, end));
    TEST_ASSERT_EQUAL_PTR(end, text_next_line(text + 4, end));
    TEST_ASSERT_EQUAL_PTR(end, text_next_line(end, end));
}

static void check_indentation(size_t columns, const char *line) {
    TEST_ASSERT_EQUAL_UINT64(columns, text_indentation(line, strlen(line)));
}

void test_lines__indentation_counts_columns(void) {
    check_indentation(0, "");
    check_indentation(0, "x");
    check_indentation(3, "   x");
    check_indentation(8, "\tx");
    check_indentation(8, "   \tx");
    check_indentation(16, "\t\tx");
    check_indentation(10, "\t  x \t");
    check_indentation(4, "    ");
}

/* Checks how a line of N characters is shown, each of which is spelled PIECE. */
static void check_shown(size_t n, const char *piece, size_t shown, bool marked) {
    struct buf line = {0}, out = {0}, expected = {0};
    for (size_t i = 0; i < n; i++)
        buf_str(&line, piece);
    for (size_t i = 0; i < shown; i++)
        buf_str(&expected, piece);
    if (marked)
        buf_str(&expected, "\u2026 [truncated line]");
    text_add_line(&out, line.data, line.len);
    TEST_ASSERT_EQUAL_STRING(expected.data, out.data);
    buf_free(&line);
    buf_free(&out);
    buf_free(&expected);
}

void test_lines__a_long_line_is_cut_between_characters(void) {
    check_shown(400, "a", 400, false);
    check_shown(401, "a", 400, true);
    check_shown(400, "\u00E9", 400, false);
    check_shown(401, "\u00E9", 400, true);
    check_shown(399, "\U0001F600", 399, false);
    check_shown(5000, "\U0001F600", 400, true);
}

void test_lines__an_empty_line_shows_nothing(void) {
    struct buf out = {0};
    text_add_line(&out, "", 0);
    TEST_ASSERT_EQUAL_UINT64(0, out.len);
    buf_free(&out);
}

void test_lines__an_unfinished_line_is_one(void) {
    TEST_ASSERT_EQUAL_UINT64(0, linewise_count("", 0));
    TEST_ASSERT_EQUAL_UINT64(0, linewise_count(NULL, 0));
    TEST_ASSERT_EQUAL_UINT64(1, linewise_count("a", 1));
    TEST_ASSERT_EQUAL_UINT64(1, linewise_count("a\n", 2));
    TEST_ASSERT_EQUAL_UINT64(2, linewise_count("a\nb", 3));
    TEST_ASSERT_EQUAL_UINT64(2, linewise_count("\n\n", 2));
}

void test_lines__one_goes_up_and_down(void) {
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

void test_lines__what_is_in_common_is_found_wherever_it_ends(void) {
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

void test_lines__short_texts_have_as_much_in_common(void) {
    char a[40], b[sizeof a];
    for (size_t n = 0; n <= sizeof a; n++)
        for (size_t at = 0; at < n; at++) {
            memset(a, 'x', sizeof a);
            memset(b, 'x', sizeof b);
            b[at] = 'y';
            TEST_ASSERT_EQUAL_UINT64(at, common_head(a, b, n));
            TEST_ASSERT_EQUAL_UINT64(n - 1 - at, common_tail(a + n, b + n, n));
        }
}

/* Whether no line of a text is too long, by its one newline in a row of letters. */
static bool are_short(size_t before, size_t behind) {
    char text[3 * TEXT_LINE_MAX];
    memset(text, 'x', sizeof text);
    text[before] = '\n';
    return text_lines_are_short(text, before + 1 + behind);
}

void test_lines__short_lines_are_known(void) {
    TEST_ASSERT_TRUE(text_lines_are_short("", 0));
    TEST_ASSERT_TRUE(are_short(TEXT_LINE_MAX, TEXT_LINE_MAX));
    TEST_ASSERT_TRUE(are_short(0, TEXT_LINE_MAX));
    TEST_ASSERT_FALSE(are_short(TEXT_LINE_MAX + 1, 0));
    TEST_ASSERT_FALSE(are_short(0, TEXT_LINE_MAX + 1));
    TEST_ASSERT_FALSE(are_short(TEXT_LINE_MAX, TEXT_LINE_MAX + 1));
}
