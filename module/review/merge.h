/* merge.h -- doing to one text what was done to another, line by line.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MERGE_H
#define AQFS_MERGE_H

#include "args.h"
#include "buf.h"

struct libraries;

/* What stands where both have changed the same lines, or lines next to each other. */
enum merge_side { MERGE_MINE, MERGE_THEIRS };

/* BASE became MINE and, apart from that, THEIRS.  Adds to OUT what comes of doing both, and to
 * *CLASHES in how many places that is not possible: there OUT has the lines of PREFERRED.  Where
 * both did the same, they do not clash.  Lines are compared with all their bytes, as git
 * merge-file compares them. */
int merge_texts(struct libraries *libraries, struct text_ref base, struct text_ref mine,
                struct text_ref theirs, enum merge_side preferred, struct buf *out, size_t *clashes,
                struct error *e);

#endif
