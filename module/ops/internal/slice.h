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

/* The entries from the argument `offset` on, at most LIMIT of them. */
struct slice slice_take(const struct call *c, const struct listing *l, size_t limit);

/* Writes the members of the reply.  If not all entries of SLICE fit into it, SLICE becomes shorter.
 */
int slice_write(struct call *c, const struct listing *l, struct slice *slice);

/* Adds the entry's path, relative to the directory that is listed, to the words. */
void slice_text_path(struct call *c, struct walk_ref ref);

/* Adds the end of the words: how many entries are left out, and what could not be read. */
void slice_text_end(struct call *c, const struct listing *l, struct slice slice);

#endif
