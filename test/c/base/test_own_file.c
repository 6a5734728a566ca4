/* SPDX-License-Identifier: MIT */
#include "own_file.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void setUp(void) {
}

void tearDown(void) {
}

void test_own_file__is_recognised(void) {
    char name[TEMPORARY_NAME];
    TEST_ASSERT_TRUE(temporary_name(name));
    TEST_ASSERT_TRUE(is_temporary_name(name));
    TEST_ASSERT_EQUAL(TEMPORARY_NAME - 1, strlen(name));
}

/* Names that a person chose are not taken for ours, and so never removed. */
void test_own_file__is_not_mistaken(void) {
    static const char *const names[] = {
        "",
        ".aqfs-.tmp",
        ".aqfs-0123456789abcdef0123456789abcde.tmp",
        ".aqfs-0123456789abcdef0123456789abcdef0.tmp",
        ".aqfs-0123456789ABCDEF0123456789abcdef.tmp",
        ".aqfs-0123456789abcdef0123456789abcdef",
        ".aqfs-0123456789abcdef0123456789abcdef.tmp~",
        "x.aqfs-0123456789abcdef0123456789abcdef.tmp",
        "aqfs-0123456789abcdef0123456789abcdef.tmp",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        TEST_ASSERT_FALSE_MESSAGE(is_temporary_name(names[i]), names[i]);
    TEST_ASSERT_TRUE(is_temporary_name(".aqfs-0123456789abcdef0123456789abcdef.tmp"));
}

static int compare(const void *a, const void *b) {
    return strcmp(a, b);
}

/* Threat 41: nobody can predict the next names.  Every digit takes every value. */
void test_own_file__cannot_be_guessed(void) {
    enum { COUNT = 2000 };
    static char names[COUNT][TEMPORARY_NAME];
    int seen[32] = {0};
    for (int i = 0; i < COUNT; i++) {
        TEST_ASSERT_TRUE(temporary_name(names[i]));
        for (int k = 0; k < 32; k++) {
            char digit[2] = {names[i][6 + k]};
            seen[k] |= 1 << strtol(digit, NULL, 16);
        }
    }
    for (int k = 0; k < 32; k++)
        TEST_ASSERT_EQUAL_HEX(0xFFFF, seen[k]);
    qsort(names, COUNT, sizeof *names, compare);
    for (int i = 1; i < COUNT; i++)
        TEST_ASSERT_TRUE(strcmp(names[i - 1], names[i]) != 0);
}
