/* SPDX-License-Identifier: MIT */
/* random_trees.h -- random trees of text files, each a bit like the one before. */
#ifndef PATCH_RANDOM_TREES_H
#define PATCH_RANDOM_TREES_H

#include "buf.h"

#include <stdbool.h>
#include <stddef.h>

#define FILES_MAX 12

struct file {
    const char *path;
    unsigned mode;
    struct buf text;
};

struct tree {
    struct file files[FILES_MAX];
    size_t count;
};

/* Text that goes through an operation is JSON: UTF-8. */
extern bool only_utf8;

const struct file *find_file(const struct tree *t, const char *path);
void add_file(struct tree *t, const char *path, unsigned mode, const struct buf *text, bool edit);
void next_tree(const struct tree *old, struct tree *new);
void free_tree(struct tree *t);

#endif
