/* tree_remove.h -- removing a directory and all below it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TREE_REMOVE_H
#define AQFS_TREE_REMOVE_H

#include "workspace.h"

/* Removes NAME of DIR and what is below it; links are removed, never followed, and nothing on
 * another mount is entered. */
int tree_remove(const struct aqfs_workspace *ws, const struct node *dir, const char *name,
                struct error *e);

#endif
