/* patch_locate.h -- the line at which a hunk applies.
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
    struct finder finder; /* both for envelopes only */
    struct anchors anchors;
    size_t hunk;   /* the number of the hunk to be placed, from 0... */
    size_t wanted; /* and of its first old line, among those of all hunks */
    size_t cursor; /* the line behind the hunk before it */
    struct error *error;
};

/* For hunks in order; TEXT as in patch_apply, without a mark that the patch does not know.  Call
 * locator_close in any case. */
int locator_open(struct locator *l, const struct patch *patch, const struct patch_file *file,
                 const char *text, size_t n, bool crlf, struct error *e);
void locator_close(struct locator *l);

/* The line, from 0, where the next hunk's old lines stand, or where it inserts.  AQFS_PATCH_APPLY,
 * saying what was expected, what was found and where else it is. */
int locator_next(struct locator *l, size_t *at);

#endif
