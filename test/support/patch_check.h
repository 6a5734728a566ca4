/* patch_check.h -- checks on reading unified diffs: what is read, and why one is refused.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef PATCH_CHECK_H
#define PATCH_CHECK_H

#include "patch.h"

#include "unity.h"

#include <stdio.h>
#include <string.h>

static struct patch patch;
static struct error error;

void tearDown(void) {
    patch_free(&patch);
}

static inline void parse_bytes(const char *text, size_t n) {
    patch_free(&patch);
    int code = patch_read(text, n, PATCH_UNIFIED, &patch, &error);
    TEST_ASSERT_EQUAL_STRING_MESSAGE("", code == AQFS_OK ? "" : error.message, text);
}

static inline void parse(const char *text) {
    parse_bytes(text, strlen(text));
}

/* Checks that TEXT is refused because of LINE (0: no line), with WORDS in the message. */
static inline void refuse(const char *text, size_t line, const char *words) {
    char begin[60] = "";
    patch_free(&patch);
    int code = patch_read(text, strlen(text), PATCH_UNIFIED, &patch, &error);
    TEST_ASSERT_EQUAL_INT_MESSAGE(AQFS_PATCH_PARSE, code, text);
    TEST_ASSERT_EQUAL_INT(AQFS_PATCH_PARSE, error.code);
    if (line > 0)
        (void)snprintf(begin, sizeof begin, "line %zu of the patch: ", line);
    TEST_ASSERT_EQUAL_STRING_LEN_MESSAGE(begin, error.message, strlen(begin), error.message);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(error.message, words), error.message);
    TEST_ASSERT_NULL(patch.files);
    TEST_ASSERT_EQUAL_UINT(0, patch.file_count);
}

static inline void check_file(size_t i, enum patch_action action, const char *old_path,
                              const char *new_path) {
    TEST_ASSERT_LESS_THAN_UINT(patch.file_count, i);
    const struct patch_file *f = &patch.files[i];
    TEST_ASSERT_EQUAL_INT(action, f->action);
    TEST_ASSERT_EQUAL_STRING(old_path, f->old_path);
    TEST_ASSERT_EQUAL_STRING(new_path, f->new_path);
}

/* Shows the lines of hunk K of file I, each as its operation, its text, and `$`, or `%` for a line
 * without newline. */
static inline const char *lines(size_t i, size_t k) {
    static char out[2000];
    size_t len = 0;
    const struct patch_hunk *h = &patch.files[i].hunks[k];
    struct patch_line line;
    for (const char *at = h->body; patch_next_line(h, &at, &line);)
        len += (size_t)snprintf(out + len, sizeof out - len, "%c%.*s%c", line.op, (int)line.n,
                                line.text, line.no_newline ? '%' : '$');
    out[len] = '\0';
    return out;
}

#define NAMES "--- a/x\n+++ b/x\n"
#define HUNK "@@ -1 +1 @@\n-a\n+b\n"
#define SECTION NAMES HUNK
#define GIT "diff --git a/x b/x\n"

#endif
