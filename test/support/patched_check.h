/* patched_check.h -- checks on applying patches: the new text, and why one is refused.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PATCHED_CHECK_H
#define PATCHED_CHECK_H

#include "patch_apply.h"

#include "unity.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct patch patch;
static struct patched patched;
static struct error error;

void tearDown(void) {
    patch_free(&patch);
    patched_free(&patched);
}

/* Applies the first file of the patch TEXT to OLD and returns the code. */
static inline int apply(const char *text, const char *old, size_t n) {
    tearDown();
    int code = patch_read(text, strlen(text), PATCH_AUTO, &patch, &error);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", code == AQFS_OK ? "" : error.message, text);
    return patch_apply(&patch, &patch.files[0], old, n, &patched, &error);
}

static inline void check(const char *text, const char *old, const char *expected) {
    int code = apply(text, old, strlen(old));
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", code == AQFS_OK ? "" : error.message, text);
    TEST_ASSERT_EQUAL_STRING_MESSAGE(expected, patched.text.data ? patched.text.data : "", text);
    TEST_ASSERT_EQUAL_UINT(strlen(expected), patched.text.len);
}

static inline void refuse(const char *text, const char *old, const char *words) {
    int code = apply(text, old, strlen(old));
    TEST_ASSERT_EQUAL_INT_MESSAGE(AQFS_PATCH_APPLY, code, text);
    TEST_ASSERT_EQUAL_INT(AQFS_PATCH_APPLY, error.code);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, words), error.message);
}

static inline void check_hint(const char *words) {
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.hint, words), error.hint);
}

static inline void check_counts(size_t added, size_t removed) {
    TEST_ASSERT_EQUAL_UINT(added, patched.added);
    TEST_ASSERT_EQUAL_UINT(removed, patched.removed);
}

static inline void check_change(size_t i, size_t old_start, size_t old_count, size_t new_start,
                                size_t new_count) {
    TEST_ASSERT_LESS_THAN_UINT(patched.change_count, i);
    TEST_ASSERT_EQUAL_UINT(old_start, patched.changes[i].old_start);
    TEST_ASSERT_EQUAL_UINT(old_count, patched.changes[i].old_count);
    TEST_ASSERT_EQUAL_UINT(new_start, patched.changes[i].new_start);
    TEST_ASSERT_EQUAL_UINT(new_count, patched.changes[i].new_count);
}

/* Repeats BEGIN, a number and REST, COUNT times. */
static inline char *many(size_t count, const char *begin, const char *rest, char **end) {
    char *text = malloc(count * 40 + 100);
    TEST_ASSERT_NOT_NULL(text);
    *end = text;
    for (size_t i = 0; i < count; i++)
        *end += sprintf(*end, "%s%zu%s", begin, i, rest);
    return text;
}

#define NAMES "--- x\n+++ x\n"
#define MARK "\xEF\xBB\xBF"
#define NONE "\\ No newline at end of file\n"
#define BEGIN "*** Begin Patch\n"
#define END "*** End Patch\n"
#define UPDATE BEGIN "*** Update File: x\n"

#endif
