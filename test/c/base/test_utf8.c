/* SPDX-License-Identifier: MIT */
#include "sample.h"
#include "utf8.h"

#include "unity.h"

#include <string.h>

static size_t valid_prefix(const char *text) {
    return utf8_valid_prefix(text, strlen(text));
}

void test_utf8__every_code_point(void) {
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        char bytes[4];
        size_t n = sample_utf8(c, bytes);
        bool surrogate = c >= 0xD800 && c <= 0xDFFF;
        int32_t decoded;
        size_t length = utf8_decode(bytes, n, &decoded);
        if (length != (surrogate ? 1 : n) || decoded != (surrogate ? -1 : (int32_t)c) ||
            utf8_is_valid(bytes, n) == surrogate)
            TEST_ASSERT_EQUAL_HEX32(c, -1);
    }
}

void test_utf8__every_unfinished_sequence(void) {
    for (uint32_t c = 0x80; c <= 0x10FFFF; c++) {
        char bytes[4];
        size_t n = sample_utf8(c, bytes);
        for (size_t part = 1; part < n; part++) {
            int32_t decoded;
            if (utf8_decode(bytes, part, &decoded) != 1 || decoded != -1)
                TEST_ASSERT_EQUAL_HEX32(c, -1);
        }
    }
}

void test_utf8__nul_is_valid(void) {
    TEST_ASSERT_TRUE(utf8_is_valid("a\0b", 3));
    TEST_ASSERT_TRUE(utf8_is_valid("", 0));
}

void test_utf8__invalid_bytes(void) {
    TEST_ASSERT_EQUAL_UINT(0, valid_prefix("\x80"));
    TEST_ASSERT_EQUAL_UINT(1, valid_prefix("a\xFF"));
    TEST_ASSERT_EQUAL_UINT(2, valid_prefix("ab\xC3"));
    TEST_ASSERT_EQUAL_UINT(0, valid_prefix("\xC0\xAF"));         /* overlong / */
    TEST_ASSERT_EQUAL_UINT(0, valid_prefix("\xC1\xBF"));         /* overlong DEL */
    TEST_ASSERT_EQUAL_UINT(0, valid_prefix("\xE0\x80\xAF"));     /* overlong / */
    TEST_ASSERT_EQUAL_UINT(0, valid_prefix("\xF0\x80\x80\xAF")); /* overlong / */
    TEST_ASSERT_EQUAL_UINT(0, valid_prefix("\xED\xA0\x80"));     /* U+D800 */
    TEST_ASSERT_EQUAL_UINT(0, valid_prefix("\xF4\x90\x80\x80")); /* U+110000 */
    TEST_ASSERT_EQUAL_UINT(0, valid_prefix("\xF8\x88\x80\x80\x80"));
    TEST_ASSERT_EQUAL_UINT(0, valid_prefix("\xE2\x82(\xAC"));
}

/* The steps of eight bytes must not hide what lies inside or after them. */
void test_utf8__prefix_at_every_offset(void) {
    char text[64];
    for (size_t bad = 0; bad < sizeof text; bad++) {
        memset(text, 'x', sizeof text);
        text[bad] = '\xFF';
        for (size_t start = 0; start <= bad; start++)
            TEST_ASSERT_EQUAL_UINT(bad - start,
                                   utf8_valid_prefix(text + start, sizeof text - start));
        TEST_ASSERT_EQUAL_UINT(bad, utf8_ascii_prefix(text, sizeof text));
        memcpy(text + bad, "\u00E9", bad + 1 < sizeof text ? 2 : 1);
        for (size_t start = 0; start < bad; start++)
            TEST_ASSERT_EQUAL_UINT(bad + 1 < sizeof text ? sizeof text - start : bad - start,
                                   utf8_valid_prefix(text + start, sizeof text - start));
    }
}

void test_utf8__count(void) {
    TEST_ASSERT_EQUAL_UINT(0, utf8_count("", 0));
    TEST_ASSERT_EQUAL_UINT(5, utf8_count("aé€😀b", strlen("aé€😀b")));
}

void test_utf8__cut_splits_no_code_point(void) {
    const char text[] = "aé€😀b"; /* at 0, 1, 3, 6, 10 */
    const size_t n = strlen(text);
    const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11};
    for (size_t at = 0; at < sizeof expected / sizeof *expected; at++)
        TEST_ASSERT_EQUAL_UINT(expected[at], utf8_cut(text, n, at));
}

void test_utf8__cut_between_stray_bytes(void) {
    const char text[] = "\x80\x80\x80\x80\x80\x80";
    for (size_t at = 0; at <= 6; at++)
        TEST_ASSERT_EQUAL_UINT(at, utf8_cut(text, 6, at));
    TEST_ASSERT_EQUAL_UINT(2, utf8_cut("\xE2\x82", 2, 5));
    TEST_ASSERT_EQUAL_UINT(3, utf8_cut("é\x80\x80", 4, 3));
}
