/* SPDX-License-Identifier: MIT */
/* manifest.h -- what is in a tree, as lines that can be compared. */
#ifndef CONFORMANCE_MANIFEST_H
#define CONFORMANCE_MANIFEST_H

#include "table.h"

/* One line an entry: its path, what it is, when it was modified; a tab between them. */
struct manifest {
    char **lines;
    size_t n;
};

/* Appends LINE, which M then owns. */
void manifest_take(struct manifest *m, char *line);
/* For qsort. */
int compare_lines(const void *a, const void *b);

/* All that is below DIRECTORY, sorted. */
struct manifest manifest_of(const char *directory);
void manifest_free(struct manifest *m);
void manifest_save(const struct manifest *m, const char *file);
struct manifest manifest_load(const char *file);

/* A copy of M without what C does not care for: paths that are (free PATH) afterwards, and where
 * there is one, how many links a file has, because that path may be one of its names. */
struct manifest manifest_loosened(const struct manifest *m, const struct test_case *c,
                                  const char *base);

/* Appends what GOT has otherwise than WANT; times count with TIMES.  Where C, which may be NULL,
 * says what will change, only the times of all else are compared. */
void manifest_diff(const struct manifest *want, const struct manifest *got, bool times,
                   const struct test_case *c, const char *base, struct buf *out);

/* Appends what has changed between BEFORE and NOW though the case does not say so.  TWIN is where
 * the tree that is expected may be made. */
void compare_with_case(const struct table *t, const struct test_case *c, const char *directory,
                       const struct manifest *before, const struct manifest *now, const char *twin,
                       struct buf *out);

/* The same below DIRECTORY, as it is now. */
void check_tree(const struct table *t, const struct test_case *c, const char *directory,
                const struct manifest *before, const char *twin, struct buf *out);

#endif
