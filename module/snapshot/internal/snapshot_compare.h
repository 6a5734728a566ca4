/* snapshot_compare.h -- what differs between two trees.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_COMPARE_H
#define AQFS_SNAPSHOT_COMPARE_H

#include "snapshot_store.h"

/* Adds the changes from FROM to TO to OUT.  Reads directories that are not in memory into ARENA, if
 * their names differ. */
int compare_trees(struct work *work, const struct store *store, struct arena *arena,
                  const struct tree *from, const struct tree *to, struct item_changes *out);

#endif
