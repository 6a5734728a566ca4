/* patch_anchor.h -- where the anchors of an envelope let a hunk stand.
 *
 * `@@ class A` means a line that is, or begins with, `class A` (white space around it apart, and
 * not `class Abc`).  Its region is that line and what follows, up to the next line that begins
 * with the same word and is indented no deeper: to the next `class`.  Further anchors are looked
 * for within it.  Where an anchor stands at several places, all from the first one on is meant:
 * the hunk itself must then tell which.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_ANCHOR_H
#define AQFS_PATCH_ANCHOR_H

#include "patch_find.h"

struct anchors {
    const struct lined *text;
    struct intern strings; /* the anchors of all hunks */
    struct places places;  /* by anchor: the lines that begin with it */
    struct reach *reaches; /* by index in places: how far its region goes */
    uint64_t steps;
    bool exhausted; /* the answers since are worth nothing: AQFS_LIMIT */
};

int anchors_open(struct anchors *a, const struct lined *text, const struct patch_hunk *hunks,
                 size_t hunk_count, struct error *e);
void anchors_close(struct anchors *a);

struct region {
    size_t from;       /* the first line of it: the last anchor */
    bool exact;        /* the last anchor stands at one place */
    size_t other;      /* where not: the second place */
    size_t held_count; /* of the places that it lies in */
    size_t held[PATCH_ANCHORS_MAX];
};

/* The region of HUNK; false where its anchor number FOUND, from 0, stands nowhere. */
bool anchors_narrow(struct anchors *a, const struct patch_hunk *hunk, struct region *region,
                    size_t *found);

/* Does LINE, at region->from or behind it, lie within? */
bool anchors_hold(struct anchors *a, const struct region *region, size_t line);

#endif
