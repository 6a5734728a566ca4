/* test_array.c -- an array that grows keeps what it has.
 *
 * SPDX-License-Identifier: MIT
 */
#include "array.h"

#include "unity.h"

#include <stdlib.h>

void setUp(void) {
}

void tearDown(void) {
}

void test_array__keeps_what_it_has(void) {
    size_t room = 0;
    size_t *all = NULL;
    for (size_t n = 0; n < 1000; n++) {
        size_t *grown = array_with_room(all, n, &room, sizeof *grown);
        TEST_ASSERT_NOT_NULL(grown);
        TEST_ASSERT_TRUE(room > n);
        all = grown;
        all[n] = n * n;
    }
    for (size_t n = 0; n < 1000; n++)
        TEST_ASSERT_EQUAL_UINT64(n * n, all[n]);
    free(all);
}

void test_array__stays_where_it_is_while_there_is_room(void) {
    size_t room = 0;
    char *all = array_with_room(NULL, 0, &room, 1);
    TEST_ASSERT_NOT_NULL(all);
    size_t first = room;
    TEST_ASSERT_EQUAL_PTR(all, array_with_room(all, first - 1, &room, 1));
    TEST_ASSERT_EQUAL_UINT64(first, room);
    free(all);
}
