/* SPDX-License-Identifier: MIT */
#include "intern.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

static struct intern t;

void tearDown(void) {
    intern_close(&t);
}

void test_intern__equal_strings_have_one_number(void) {
    TEST_ASSERT_TRUE(intern_open(&t, 3));
    TEST_ASSERT_EQUAL_UINT(0, intern_add(&t, "a", 1));
    TEST_ASSERT_EQUAL_UINT(1, intern_add(&t, "ab", 2));
    TEST_ASSERT_EQUAL_UINT(0, intern_add(&t, "abc", 1));
    TEST_ASSERT_EQUAL_UINT(2, intern_add(&t, "", 0));
    TEST_ASSERT_EQUAL_UINT(1, intern_find(&t, "ab", 2));
    TEST_ASSERT_EQUAL_UINT(INTERN_NONE, intern_find(&t, "abc", 3));
    TEST_ASSERT_EQUAL_UINT(3, t.count);
}

void test_intern__hashes_grow_byte_by_byte(void) {
    TEST_ASSERT_TRUE(intern_open(&t, 1));
    (void)intern_add(&t, "ab\0c", 4);
    uint64_t hash = t.seed;
    for (size_t i = 0; i < 4; i++)
        hash = intern_hash_byte(hash, "ab\0c"[i]);
    TEST_ASSERT_EQUAL_UINT(0, intern_find_hashed(&t, hash, "ab\0c", 4));
}

void test_intern__many(void) {
    static char words[100000][12];
    TEST_ASSERT_TRUE(intern_open(&t, 100000));
    for (uint32_t i = 0; i < 100000; i++) {
        (void)snprintf(words[i], sizeof words[i], "w%u", i);
        TEST_ASSERT_EQUAL_UINT(i, intern_add(&t, words[i], strlen(words[i])));
    }
    for (uint32_t i = 0; i < 100000; i++)
        TEST_ASSERT_EQUAL_UINT(i, intern_find(&t, words[i], strlen(words[i])));
}

void test_intern__too_many(void) {
    TEST_ASSERT_FALSE(intern_open(&t, INTERN_NONE));
    intern_close(&t);
    TEST_ASSERT_TRUE(intern_open(&t, 0));
    TEST_ASSERT_EQUAL_UINT(INTERN_NONE, intern_find(&t, "a", 1));
}
