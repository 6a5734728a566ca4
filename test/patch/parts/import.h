/* SPDX-License-Identifier: MIT */
/* import.h -- random trees as the commits of a repository, from the first to the last. */
#ifndef PATCH_IMPORT_H
#define PATCH_IMPORT_H

#include "random_trees.h"

void write_history(const char *git_dir, const struct tree *trees, size_t count);

#endif
