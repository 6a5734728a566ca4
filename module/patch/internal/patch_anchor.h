/* patch_anchor.h -- the lines to which the anchors of an envelope limit a hunk.
 *
 * `@@ class A` means a line that is or begins with `class A`, apart from
 * surrounding white space; `class Abc` does not count.  Its region is that line
 * and all lines up to the next one that begins with the same word and is not
 * indented deeper: up to the next `class`.  Further anchors are searched within
 * the region.  An anchor that stands at several places means everything from
 * the first one on; the hunk itself must then show which place is meant.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_ANCHOR_H
#define AQFS_PATCH_ANCHOR_H

#include "patch_find.h"

struct anchors {
    const struct lined *text;
    struct intern strings; /* the anchors of all hunks */
    struct places places;  /* for each anchor, the lines that begin with it */
    struct reach *reaches; /* for each index in `places`, how far its region goes */
    uint64_t steps;
    bool exhausted; /* answers are no longer valid: AQFS_LIMIT */
};

int anchors_open(struct anchors *a, const struct lined *text, const struct patch_hunk *hunks,
                 size_t hunk_count, struct error *e);
void anchors_close(struct anchors *a);

struct region {
    size_t from;       /* its first line: the last anchor */
    bool exact;        /* the last anchor stands at one place only */
    size_t other;      /* if not exact: the second place */
    size_t held_count; /* anchors whose regions it lies in */
    size_t held[PATCH_ANCHORS_MAX];
};

/* Finds the region of HUNK whose first anchor is at line FROM or after it.  False when the anchor
 * number FOUND, from 0, does not stand there. */
bool anchors_narrow(struct anchors *a, const struct patch_hunk *hunk, size_t from,
                    struct region *region, size_t *found);

/* Does LINE, at region->from or after it, lie within the region? */
bool anchors_hold(struct anchors *a, const struct region *region, size_t line);

#endif
