/* SPDX-License-Identifier: MIT */
#include "walk_sort.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

void setUp(void) {
}

void tearDown(void) {
}

#define NAMES 60

static struct walk_entry listed[NAMES], sorted[NAMES];
static char names[NAMES][40];
static struct walk_key keys[2 * NAMES];
static uint32_t chance = 7;

static uint32_t below(uint32_t n) {
    chance = chance * 1664525U + 1013904223U;
    return (chance >> 8) % n;
}

/* Names that all begin with BEGINNING, and differ in few bytes, among them those around a slash. */
static void make_names(const char *beginning) {
    static const char letters[] = "-./0ab\xff"; /* the slash stands for none */
    for (size_t i = 0; i < NAMES; i++) {
        size_t n = (size_t)snprintf(names[i], sizeof names[i], "%s", beginning);
        for (uint32_t more = 1 + below(12); more > 0; more--) {
            const char c = letters[below(sizeof letters - 1)];
            if (c != '/')
                names[i][n++] = c;
        }
        (void)snprintf(names[i] + n, sizeof names[i] - n, "%zu", i);
        listed[i] = (struct walk_entry){.name = names[i],
                                        .name_len = (uint32_t)strlen(names[i]),
                                        .type = below(3) ? NODE_FILE : NODE_DIRECTORY};
    }
}

/* The name as it counts in ORDER. */
static const char *spelled(const struct walk_entry *entry, enum walk_order order, char out[60]) {
    (void)snprintf(out, 60, "%s%s", entry->name,
                   order == WALK_BY_PATH && entry->type == NODE_DIRECTORY ? "/" : "");
    return out;
}

static void check_order(size_t n, enum walk_order order) {
    char a[60], b[60];
    walk_sort(listed, n, order, keys, sorted);
    for (size_t i = 1; i < n; i++)
        TEST_ASSERT_TRUE_MESSAGE(
            strcmp(spelled(&sorted[i - 1], order, a), spelled(&sorted[i], order, b)) < 0, a);
    const struct walk_dir dir = {.entries = sorted, .n = n};
    for (size_t i = 0; i < n; i++) {
        const struct walk_entry *found = walk_sort_find(&dir, names[i], listed[i].name_len, order);
        TEST_ASSERT_NOT_NULL_MESSAGE(found, names[i]);
        TEST_ASSERT_EQUAL_STRING(names[i], found->name);
    }
    TEST_ASSERT_NULL(walk_sort_find(&dir, "none", 4, order));
}

/* Also where one name is the beginning of all others. */
void test_walk_sort__is_bytewise_whatever_the_names_begin_with(void) {
    static const char *const beginnings[] = {"",         "a",         "sevenbt",
                                             "eightbyt", "nine-byte", "a-rather-long-one"};
    for (int round = 0; round < 60; round++) {
        const char *beginning = beginnings[below(6)];
        make_names(beginning);
        if (round % 3 == 0 && *beginning) {
            (void)snprintf(names[0], sizeof names[0], "%s", beginning);
            listed[0].name_len = (uint32_t)strlen(beginning);
        }
        const size_t n = 1 + below(NAMES);
        check_order(n, WALK_BY_NAME);
        check_order(n, WALK_BY_PATH);
    }
}

void test_walk_sort__nothing_is_found_in_an_empty_directory(void) {
    const struct walk_dir dir = {0};
    TEST_ASSERT_NULL(walk_sort_find(&dir, "a", 1, WALK_BY_NAME));
    TEST_ASSERT_NULL(walk_sort_find(&dir, "a", 1, WALK_BY_PATH));
}
