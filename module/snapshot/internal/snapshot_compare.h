/* snapshot_compare.h -- what differs between two trees.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_COMPARE_H
#define AQFS_SNAPSHOT_COMPARE_H

#include "snapshot_store.h"

/* Adds to OUT what makes TO of FROM.  Directories that are not in memory are read when they are
 * needed: what is equal is not.  The memory is ARENA's. */
int compare_trees(struct work *work, const struct store *store, struct arena *arena,
                  const struct tree *from, const struct tree *to, struct item_changes *out);

#endif
