/* plan_tree.h -- a directory that is deleted or moved with what is below it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PLAN_TREE_H
#define AQFS_PLAN_TREE_H

#include "plan.h"

/* Looks through the directory AT, which CHANGE deletes or moves: fills is_tree, entries and
 * protects, and HEX with the hash of all names, types, sizes and times below it.  AQFS_PERMISSION
 * where it cannot be read or, to be deleted, emptied. */
int plan_tree(struct work *work, struct change *change, const struct place *at, char hex[HASH_HEX]);

#endif
