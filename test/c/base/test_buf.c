/* SPDX-License-Identifier: MIT */
#include "buf.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void test_buf__zeroed_is_empty(void) {
    struct buf b = {0};
    buf_clear(&b);
    TEST_ASSERT_EQUAL_UINT(0, b.len);
    buf_free(&b);
    buf_free(&b);
}

void test_buf__appends(void) {
    struct buf b = {0};
    buf_str(&b, "one");
    buf_char(&b, ' ');
    buf_add(&b, "two and more", 3);
    buf_printf(&b, " %s %d", "three", 4);
    TEST_ASSERT_EQUAL_STRING("one two three 4", b.data);
    TEST_ASSERT_EQUAL_UINT(strlen(b.data), b.len);
    buf_free(&b);
}

void test_buf__ends_in_nul(void) {
    struct buf b = {0};
    buf_str(&b, "");
    TEST_ASSERT_EQUAL_STRING("", b.data);
    for (size_t i = 1; i < 5000; i++) {
        buf_char(&b, 'x');
        TEST_ASSERT_EQUAL_UINT(i, b.len);
        TEST_ASSERT_TRUE(b.len < b.cap);
        TEST_ASSERT_EQUAL_INT('\0', b.data[b.len]);
    }
    buf_free(&b);
}

void test_buf__keeps_nul_bytes(void) {
    struct buf b = {0};
    buf_add(&b, "a\0b", 3);
    TEST_ASSERT_EQUAL_UINT(3, b.len);
    TEST_ASSERT_EQUAL_MEMORY("a\0b", b.data, 4);
    buf_free(&b);
}

void test_buf__integers(void) {
    struct buf b = {0};
    const int64_t numbers[] = {0, 7, -7, 10, 1234567890, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        buf_int(&b, numbers[i]);
        buf_char(&b, ' ');
    }
    TEST_ASSERT_EQUAL_STRING("0 7 -7 10 1234567890 9223372036854775807 -9223372036854775808 ",
                             b.data);
    buf_free(&b);
}

void test_buf__clear_keeps_the_memory(void) {
    struct buf b = {0};
    buf_str(&b, "something");
    const char *before = b.data;
    buf_clear(&b);
    TEST_ASSERT_EQUAL_STRING("", b.data);
    buf_str(&b, "else");
    TEST_ASSERT_EQUAL_PTR(before, b.data);
    TEST_ASSERT_EQUAL_STRING("else", b.data);
    buf_free(&b);
}

void test_buf__reserve_makes_room(void) {
    struct buf b = {0};
    TEST_ASSERT_TRUE(buf_reserve(&b, 100000));
    memset(b.data, 'x', 100000);
    b.len = 100000;
    const char *before = b.data;
    buf_add(&b, "", 0);
    TEST_ASSERT_EQUAL_PTR(before, b.data);
    TEST_ASSERT_EQUAL_UINT(100000, strlen(b.data));
    buf_free(&b);
}

void test_buf__failure_stays(void) {
    struct buf b = {0};
    buf_str(&b, "kept");
    TEST_ASSERT_FALSE(buf_reserve(&b, SIZE_MAX - 2));
    TEST_ASSERT_TRUE(b.failed);
    buf_str(&b, " not added");
    buf_printf(&b, "%d", 1);
    TEST_ASSERT_FALSE(buf_reserve(&b, 1));
    TEST_ASSERT_EQUAL_STRING("kept", b.data);
    buf_clear(&b);
    TEST_ASSERT_TRUE(b.failed);
    buf_free(&b);
    TEST_ASSERT_FALSE(b.failed);
}

void test_buf__printf_writes_all_whatever_room_is_left(void) {
    char words[150], expected[400];
    for (size_t before = 0; before < 140; before++)
        for (size_t n = 0; n < sizeof words; n++) {
            struct buf b = {0};
            for (size_t i = 0; i < before; i++)
                buf_char(&b, 'x');
            memset(words, 'y', n);
            words[n] = '\0';
            buf_printf(&b, "%s%d", words, 12);
            memset(expected, 'x', before);
            (void)snprintf(expected + before, sizeof expected - before, "%s12", words);
            TEST_ASSERT_FALSE(b.failed);
            TEST_ASSERT_EQUAL_UINT64(before + n + 2, b.len);
            TEST_ASSERT_EQUAL_STRING(expected, b.data);
            buf_free(&b);
        }
}
