/* patch_locate.h -- finding the line at which a hunk applies.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_LOCATE_H
#define AQFS_PATCH_LOCATE_H

#include "patch_anchor.h"
#include "patch_find.h"

struct locator {
    const struct patch *patch;
    const struct patch_file *file;
    struct lined text;
    struct finder finder; /* this and the anchors are for envelopes only */
    struct anchors anchors;
    size_t hunk;   /* the number of the next hunk, from 0... */
    size_t wanted; /* ...and of its first old line among those of all hunks */
    size_t cursor; /* the line after the previous hunk */
    bool settled;  /* the previous hunk's place is certain, so the first match after it counts */
    struct error *error;
};

/* Opens a locator for FILE's hunks, in order.  TEXT is as for patch_apply, but without a byte order
 * mark that the patch does not know.  Call locator_close in any case. */
int locator_open(struct locator *l, const struct patch *patch, const struct patch_file *file,
                 const char *text, size_t n, bool crlf, struct error *e);
void locator_close(struct locator *l);

/* Finds the line, from 0, at which the next hunk's old lines stand or at which it inserts.
 * AQFS_PATCH_APPLY with what was expected, what was found, and where else the lines are. */
int locator_next(struct locator *l, size_t *at);

#endif
