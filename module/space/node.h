/* node.h -- opening the directory that a path's last name is in.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_NODE_H
#define AQFS_NODE_H

#include "workspace.h"

struct parent {
    struct node node;
    const char *name; /* the last component; it points into the PATH given to parent_open */
};

/* Opens the directory that ROOT/PATH is in, by its canonical path and without following links: if
 * the directory has been moved since it was judged, this fails instead of leading to its new place.
 * AQFS_INVALID_ARGUMENT for a root itself, which has no parent. */
int parent_open(struct aqfs_workspace *ws, const struct root *root, const char *path,
                struct parent *out, struct error *e);

/* P may be zeroed. */
void parent_close(struct parent *p);

/* Are A and B in the same directory? */
bool parent_is_shared(const struct place *a, const struct place *b);

/* Writes the path of the directory that PATH is in; false for "", a root, which has none. */
bool parent_path(const char *path, char out[PATH_BYTES_MAX + 1]);

#endif
