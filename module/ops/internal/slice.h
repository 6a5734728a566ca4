/* slice.h -- the part of a listing that one reply shows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SLICE_H
#define AQFS_SLICE_H

#include "call.h"
#include "listing.h"

/* The entries [from, to) of a listing. */
struct slice {
    size_t from, to;
};

/* From the argument offset on, LIMIT entries at most. */
struct slice slice_take(const struct call *c, const struct listing *l, size_t limit);

/* Writes the members of the reply.  SLICE ends earlier where the reply would be too large. */
int slice_write(struct call *c, const struct listing *l, struct slice *slice);

/* A path in the words, relative to the directory that is listed. */
void slice_text_path(struct call *c, struct walk_ref ref);

/* What the words end with: how much there is besides, and what could not be read. */
void slice_text_end(struct call *c, const struct listing *l, struct slice slice);

#endif
