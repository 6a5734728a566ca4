/* SPDX-License-Identifier: MIT */
#include "record.h"

#include "unity.h"

#include <string.h>

static ssize_t read_text(const char *text, struct record *out) {
    return record_read(text, strlen(text), out);
}

void test_record__reads_what_is_written(void) {
    struct buf b = {0};
    struct record r;
    record_add(&b, "word", "a\0\n3", 4);
    record_print(&b, "end", "%s %d", "exit", 7);
    ssize_t n = record_read(b.data, b.len, &r);
    TEST_ASSERT_EQUAL_INT(strlen("word 4\n") + 4, n);
    TEST_ASSERT_TRUE(record_is(&r, "word"));
    TEST_ASSERT_EQUAL_UINT(4, r.length);
    TEST_ASSERT_EQUAL_MEMORY("a\0\n3", r.body, 4);
    TEST_ASSERT_EQUAL_INT(b.len - (size_t)n, record_read(b.data + n, b.len - (size_t)n, &r));
    TEST_ASSERT_TRUE(record_is(&r, "end"));
    TEST_ASSERT_EQUAL_MEMORY("exit 7", r.body, r.length);
    buf_free(&b);
}

void test_record__waits_for_what_is_missing(void) {
    static const char text[] = "word 3\nabc";
    struct record r;
    for (size_t n = 0; n < sizeof text - 1; n++)
        TEST_ASSERT_EQUAL_INT(0, record_read(text, n, &r));
    TEST_ASSERT_EQUAL_INT(sizeof text - 1, record_read(text, sizeof text - 1, &r));
}

void test_record__refuses_what_is_none(void) {
    static const char *const none[] = {" 3\nabc",      "Word 3\nabc",     "word  3\nabc",
                                       "word -3\nabc", "word 3abc",       "word \nabc",
                                       "\n",           "word 99999999\n", "w3 1\na",
                                       "word\n",       "word 999999999\n"};
    struct record r;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        TEST_ASSERT_EQUAL_INT_MESSAGE(-1, read_text(none[i], &r), none[i]);
    TEST_ASSERT_EQUAL_INT(-1, record_read("w\0rd 1\na", 8, &r));
    TEST_ASSERT_TRUE(read_text("aaaaaaaaaaaaaaaa 1\na", &r) > 0);
    TEST_ASSERT_EQUAL_INT(-1, read_text("aaaaaaaaaaaaaaaaa 1\na", &r));
}

void test_record__numbers(void) {
    uint64_t at[2];
    struct record r;
    TEST_ASSERT_TRUE(read_text("size 5\n24 80", &r) > 0);
    TEST_ASSERT_TRUE(record_numbers(&r, 2, at));
    TEST_ASSERT_EQUAL_UINT64(24, at[0]);
    TEST_ASSERT_EQUAL_UINT64(80, at[1]);
    TEST_ASSERT_FALSE(record_numbers(&r, 1, at));
    static const char *const wrong[] = {"size 0\n",
                                        "size 3\n24 ",
                                        "size 3\n 24",
                                        "size 4\n1  2",
                                        "size 6\n24 80 ",
                                        "size 4\n-1 2",
                                        "size 22\n1111111111111111111 80"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        TEST_ASSERT_TRUE_MESSAGE(read_text(wrong[i], &r) > 0, wrong[i]);
        TEST_ASSERT_FALSE_MESSAGE(record_numbers(&r, 2, at), wrong[i]);
    }
}
