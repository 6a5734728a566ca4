/* listing.h -- what list_directory, list_dir and directory_tree share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LISTING_H
#define AQFS_LISTING_H

#include "call.h"
#include "walk.h"

struct listing {
    struct place place;
    struct walk walk;
    struct walk_ref *refs; /* the walk's entries in the order wanted */
    size_t n, room;
};

/* Walks the directory that the argument `path` names, leaving out `exclude_patterns` where the row
 * has them.  Call listing_free in either case; LISTING must be zeroed. */
int listing_open(struct call *c, struct walk_options *options, struct listing *listing);
void listing_free(struct listing *listing);

/* Fills refs, depth first or breadth first. */
int listing_order_deep(struct call *c, struct listing *l);
int listing_order_broad(struct call *c, struct listing *l);

/* The entry's path as callers use it. */
void listing_show_path(const struct call *c, const struct listing *l, struct walk_ref ref,
                       struct buf *out);

/* An entry's :name :path :type :size :modified (:target), and where the walk could not tell the
 * size, nil. */
void listing_write_entry(struct call *c, const struct listing *l, struct walk_ref ref);

/* "[truncated: ...]" and what to do about it. */
void listing_text_rest(struct call *c, int64_t shown_to, int64_t total);

/* What could not be looked at: members of the reply, and words. */
void listing_write_gaps(struct call *c, const struct walk *w);

/* 999, 1.2K, 34M. */
void listing_text_size(struct buf *out, int64_t size);

#endif
