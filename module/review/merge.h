/* merge.h -- doing to one text what was done to another, line by line.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MERGE_H
#define AQFS_MERGE_H

#include "args.h"
#include "buf.h"

struct libraries;

/* The side that wins where both have changed the same lines, or lines next to each other. */
enum merge_side { MERGE_MINE, MERGE_THEIRS };

struct merge_texts {
    struct text_ref base, mine, theirs;
    enum merge_side preferred;
};

/* The base became mine and, apart from that, theirs.  Adds to OUT what comes of doing both, and to
 * *CLASHES in how many places that is not possible: there OUT has the lines of the preferred side.
 * Where both did the same, they do not clash.  Lines are compared with all their bytes, as git
 * merge-file compares them. */
int merge_both(struct libraries *libraries, const struct merge_texts *texts, struct buf *out,
               size_t *clashes, struct error *e);

/* Adds to OUT the base with only those changes of mine that touch a change of theirs; if APART,
 * with only those that touch none. */
int merge_touching(struct libraries *libraries, const struct merge_texts *texts, bool apart,
                   struct buf *out, struct error *e);

#endif
