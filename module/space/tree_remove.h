/* tree_remove.h -- removing a directory and all below it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TREE_REMOVE_H
#define AQFS_TREE_REMOVE_H

#include "workspace.h"

/* Removes the directory NAME of DIR and everything below it.  Links are removed and never followed.
 * AQFS_IO when another file system is mounted inside, which is not entered; AQFS_LIMIT when
 * directories are nested deeper than limits.walk_depth.  Entries removed before an error stay
 * removed. */
int tree_remove(const struct aqfs_workspace *ws, const struct node *dir, const char *name,
                struct error *e);

#endif
