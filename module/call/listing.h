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
    struct walk_ref *refs; /* the walk's entries in the tool's order */
    size_t n, room;
};

/* Compiles the list of globs that an argument is. */
int listing_compile(struct call *c, const struct value *globs, struct glob_set *set);

/* Walks the directory that the argument `path` names.  Leaves out what `exclude_patterns` matches,
 * or `.git` if the row has no such argument, and
 * what git ignores unless the row has no argument `ignored`.  LISTING must be zeroed; the caller
 * calls listing_free, also on failure. */
int listing_open(struct call *c, struct walk_options *options, struct listing *listing);
/* The same of the directory PATH. */
int listing_open_at(struct call *c, struct text_ref path, struct walk_options *options,
                    struct listing *listing);
/* Frees what LISTING holds. */
void listing_free(struct listing *listing);

/* Fills `refs` with all entries, depth first or breadth first. */
int listing_order_deep(struct call *c, struct listing *l);
int listing_order_broad(struct call *c, struct listing *l);

/* Appends the entry's path as it is shown (place_show). */
void listing_show_path(const struct call *c, const struct listing *l, struct walk_ref ref,
                       struct buf *out);

/* Appends the text of the link that the entry is.  False if it cannot be read. */
bool listing_link_text(const struct call *c, const struct listing *l, struct walk_ref ref,
                       struct buf *out);

/* Writes an entry: :name :path :type :size :modified, and :target of a link.  :size is nil for all
 * but files, and for a file whose size the walk could not read. */
void listing_write_entry(struct call *c, const struct listing *l, struct walk_ref ref);

/* Adds to the words that entries are left out behind number SHOWN_TO, and how to go on. */
void listing_text_rest(struct call *c, int64_t shown_to, int64_t total);

/* Writes how much the walk could not look at: members of the reply, and words. */
void listing_write_gaps(struct call *c, const struct walk *w);
/* The same, where FILES could not be read either, which the words tell already. */
void listing_write_all_gaps(struct call *c, const struct walk *w, int64_t files);

/* Writes how many entries the walk left out because git ignores them, and how to see them if
 * nothing was FOUND. */
void listing_write_ignored(struct call *c, const struct walk *w, bool found);

/* Appends SIZE in at most four characters: 999, 1.2K, 34M. */
void listing_text_size(struct buf *out, int64_t size);

#endif
