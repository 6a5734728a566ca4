/* SPDX-License-Identifier: MIT */
/* trees.h -- what a tree holds, as a text that can be compared. */
#ifndef TEST_TREES_H
#define TEST_TREES_H

#include "aqfs.h"
#include "buf.h"

/* Each name in its order, with its type and what it holds.  PATH may not be there yet. */
void tree_of_directory(struct buf *out, const char *path, const char *below);
void tree_of_memory(struct buf *out, aqfs_workspace *ws);

#endif
