/* review_wish.h -- what shall be at each place when items and hunks are taken back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REVIEW_WISH_H
#define AQFS_REVIEW_WISH_H

#include "review_parts.h"

struct wish {
    const struct root *root;
    const char *path;
    const struct review_item *item; /* whose file goes there, or was there */
    enum node_type type;
    uint32_t mode;
    struct buf bytes;
    struct place at;
    struct info seen;
    bool fulfilled;
};

struct wishing {
    struct call *call;
    struct plan *plan;
    const struct review *review;
    struct wish *all;
    size_t n, room;
    size_t
        moved; /* the first changes of the plan, with those that they need, move directories back */
};

/* Fails for ITEM: says WHY, and that nothing was taken back. */
int review_fail_item(struct call *c, enum code code, const struct review_item *item,
                     const char *why);

/* Can the item be taken back as a whole? */
int review_check_item(struct call *c, const struct review_item *item);

bool review_is_moved(const struct review_item *item);
bool review_is_moved_directory(const struct review_item *item);

/* Is the id among IDS?  Is the item, or are all? */
bool review_is_asked(const struct value *ids, const char *id);
bool review_is_asked_for(const struct value *ids, const struct review_item *item);

/* Makes the wishes for what IDS name, and looks at what is there now.  Directories that were moved
 * have none. */
int wishes_gather(struct wishing *w, const struct value *ids);
int wishes_look(struct wishing *w);

/* Is the wish about the place where its item is now? */
bool wish_is_at_item(const struct wish *wish);

#endif
