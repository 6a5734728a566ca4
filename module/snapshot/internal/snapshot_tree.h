/* snapshot_tree.h -- one directory of a snapshot, as git writes it.
 *
 * Entries carry all permission bits where git itself writes only whether a file
 * is executable; it reads both.  A directory of 0755 is written 40000.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_TREE_H
#define AQFS_SNAPSHOT_TREE_H

#include "snapshot.h"

struct tree_entry {
    const char *name;
    size_t len;
    struct item item;
    struct tree *below; /* of a directory, where it is in memory */
};

/* In git's order: a directory sorts as if its name ended in a slash. */
struct tree {
    struct tree_entry *entries;
    size_t n;
};

int tree_order(const char *a, size_t a_n, bool a_dir, const char *b, size_t b_n, bool b_dir);

/* The entry, or NULL. */
struct tree_entry *tree_find(const struct tree *tree, const char *name, size_t n, bool directory);

/* Reads what may have been written by an enemy: names that lead elsewhere, that mean a repository
 * or that occur twice are AQFS_SNAPSHOT.  The memory is ARENA's. */
int tree_read(const char *bytes, size_t n, struct arena *arena, struct tree **out, struct error *e);

void tree_write(const struct tree *tree, struct buf *out);

#endif
