/* walk_sort.h -- the entries of one directory, in order.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WALK_SORT_H
#define AQFS_WALK_SORT_H

#include "walk.h"

/* An entry and some bytes of its name, the first in which the names of the directory differ: they
 * nearly always decide a comparison. */
struct walk_key {
    uint64_t prefix;
    const struct walk_entry *entry;
};

/* Copies N entries to TO, sorted.  KEYS has room for 2 * N. */
void walk_sort(const struct walk_entry *from, size_t n, enum walk_order order,
               struct walk_key *keys, struct walk_entry *to);

/* The entry NAME of DIR, whose entries walk_sort has put into ORDER; NULL if there is none. */
struct walk_entry *walk_sort_find(const struct walk_dir *dir, const char *name, size_t n,
                                  enum walk_order order);

#endif
