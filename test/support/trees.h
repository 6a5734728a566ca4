/* trees.h -- the content of a tree, as a text that can be compared.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_TREES_H
#define TEST_TREES_H

#include "aqfs.h"
#include "buf.h"

/* Shows each name, in order, with its type and content.  PATH need not exist. */
void tree_of_directory(struct buf *out, const char *path, const char *below);
void tree_of_memory(struct buf *out, aqfs_workspace *ws);

#endif
