/* SPDX-License-Identifier: MIT */
#include "arena.h"

#include "unity.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static struct arena arena;

void tearDown(void) {
    arena_free(&arena);
}

static bool is_aligned(const void *p) {
    return (uintptr_t)p % alignof(max_align_t) == 0;
}

void test_arena__what_it_gives_is_aligned(void) {
    for (size_t size = 1; size < 200; size++) {
        TEST_ASSERT_NOT_NULL(arena_string(&arena, "odd", size % 3));
        char *taken = arena_take(&arena, size);
        TEST_ASSERT_TRUE(is_aligned(taken));
        memset(taken, 1, size);
    }
}

void test_arena__pieces_do_not_overlap(void) {
    enum { PIECES = 3000 };
    static unsigned char *pieces[PIECES];
    for (int i = 0; i < PIECES; i++) {
        pieces[i] = arena_take(&arena, 1 + (size_t)i % 97);
        memset(pieces[i], i % 251, 1 + (size_t)i % 97);
    }
    for (int i = 0; i < PIECES; i++)
        TEST_ASSERT_EACH_EQUAL_UINT8(i % 251, pieces[i], 1 + (size_t)i % 97);
}

void test_arena__larger_than_a_block(void) {
    const size_t large = 1000000;
    char *before = arena_string(&arena, "before", 6);
    char *taken = arena_take(&arena, large);
    memset(taken, 'x', large);
    char *after = arena_string(&arena, "after", 5);
    TEST_ASSERT_EQUAL_STRING("before", before);
    TEST_ASSERT_EQUAL_STRING("after", after);
    TEST_ASSERT_EQUAL('x', taken[large - 1]);
}

void test_arena__a_string_ends_with_nul(void) {
    const char bytes[] = {'a', '\0', 'b', 'c'};
    const char *copy = arena_string(&arena, bytes, 3);
    TEST_ASSERT_EQUAL_MEMORY("a\0b", copy, 4);
    TEST_ASSERT_EQUAL_STRING("", arena_string(&arena, bytes, 0));
}

void test_arena__nothing_may_be_taken(void) {
    TEST_ASSERT_NOT_NULL(arena_take(&arena, 0));
    TEST_ASSERT_NOT_NULL(arena_take(&arena, 0));
}

void test_arena__it_may_be_used_again_once_freed(void) {
    TEST_ASSERT_NOT_NULL(arena_take(&arena, 100));
    arena_free(&arena);
    TEST_ASSERT_NULL(arena.blocks);
    TEST_ASSERT_NOT_NULL(arena_take(&arena, 100));
}

void test_arena__too_much_is_null_and_does_no_harm(void) {
    TEST_ASSERT_NOT_NULL(arena_take(&arena, 10));
    TEST_ASSERT_NULL(arena_take(&arena, SIZE_MAX));
    TEST_ASSERT_NULL(arena_take(&arena, SIZE_MAX - 20));
    TEST_ASSERT_NULL(arena_string(&arena, "", SIZE_MAX));
    TEST_ASSERT_EQUAL_STRING("a", arena_string(&arena, "a", 1));
}
