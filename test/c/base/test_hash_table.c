/* test_hash_table.c -- finding the numbers of elements by their hashes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hash_table.h"

#include "unity.h"

enum { ELEMENTS = 5000 };

static uint32_t elements[ELEMENTS];
static struct hash_table t;

static bool is_same_element(const void *all, uint32_t number, const void *wanted) {
    return ((const uint32_t *)all)[number] == *(const uint32_t *)wanted;
}

static uint64_t hash_value(uint32_t value) {
    return value * UINT64_C(0x9E3779B97F4A7C15) >> 20;
}

static uint64_t hash_element(const void *all, uint32_t number) {
    return hash_value(((const uint32_t *)all)[number]);
}

/* All elements have one hash; the table still finds each, by comparing. */
static uint64_t hash_alike(const void *all, uint32_t number) {
    (void)all, (void)number;
    return UINT64_MAX;
}

void setUp(void) {
    for (uint32_t i = 0; i < ELEMENTS; i++)
        elements[i] = i * 7 + 3;
}

void tearDown(void) {
    hash_table_close(&t);
}

static void put(uint32_t number, hash_table_hash *hash) {
    TEST_ASSERT_TRUE(hash_table_grow(&t, number, hash, elements));
    uint32_t *slot =
        hash_table_slot(&t, hash(elements, number), is_same_element, elements, &elements[number]);
    TEST_ASSERT_EQUAL(0, *slot);
    *slot = number + 1;
}

static uint32_t look_for(uint32_t value, uint64_t hash) {
    return hash_table_find(&t, hash, is_same_element, elements, &value);
}

void test_hash_table__zeroed_is_empty(void) {
    TEST_ASSERT_EQUAL_UINT(HASH_TABLE_NONE, look_for(3, hash_value(3)));
    hash_table_close(&t);
}

void test_hash_table__grows(void) {
    for (uint32_t i = 0; i < ELEMENTS; i++) {
        put(i, hash_element);
        TEST_ASSERT_TRUE(t.room >= (size_t)4 * i);
    }
    for (uint32_t i = 0; i < ELEMENTS; i++)
        TEST_ASSERT_EQUAL_UINT(i, look_for(elements[i], hash_value(elements[i])));
    for (uint32_t i = 0; i < ELEMENTS; i++)
        TEST_ASSERT_EQUAL_UINT(HASH_TABLE_NONE,
                               look_for(elements[i] + 1, hash_value(elements[i] + 1)));
}

void test_hash_table__equal_hashes(void) {
    for (uint32_t i = 0; i < 300; i++)
        put(i, hash_alike);
    for (uint32_t i = 0; i < 300; i++)
        TEST_ASSERT_EQUAL_UINT(i, look_for(elements[i], UINT64_MAX));
    TEST_ASSERT_EQUAL_UINT(HASH_TABLE_NONE, look_for(elements[300], UINT64_MAX));
}

/* A table that was opened for N elements takes N without growing, and a search for another one
 * ends. */
void test_hash_table__opened_has_room(void) {
    for (size_t n = 0; n < 100; n++) {
        TEST_ASSERT_TRUE(hash_table_open(&t, n));
        const size_t room = t.room;
        TEST_ASSERT_TRUE(room >= 2 * n);
        for (uint32_t i = 0; i < n; i++)
            *hash_table_slot(&t, hash_value(elements[i]), is_same_element, elements, &elements[i]) =
                i + 1;
        TEST_ASSERT_EQUAL_UINT(HASH_TABLE_NONE, look_for(1, hash_value(1)));
        TEST_ASSERT_EQUAL(room, t.room);
        hash_table_close(&t);
    }
}

void test_hash_table__too_many(void) {
    TEST_ASSERT_FALSE(hash_table_open(&t, HASH_TABLE_NONE));
    TEST_ASSERT_FALSE(hash_table_grow(&t, SIZE_MAX / 8, hash_element, elements));
    TEST_ASSERT_NULL(t.slots);
}
