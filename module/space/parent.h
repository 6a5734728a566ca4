/* parent.h -- the directory a name stands in, open.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PARENT_H
#define AQFS_PARENT_H

#include "workspace.h"

struct parent {
    struct node node;
    const char *name; /* the last component, part of the path it was opened for */
};

/* Opens the directory of ROOT/PATH by its canonical path and without links: what was moved
 * meanwhile is not written to.  A root itself has no parent: AQFS_INVALID_ARGUMENT. */
int parent_open(struct aqfs_workspace *ws, const struct root *root, const char *path,
                struct parent *out, struct error *e);
void parent_close(struct parent *p); /* also of a zeroed one */

/* Are both in the same directory? */
bool parent_is_shared(const struct place *a, const struct place *b);

/* The path of the directory above PATH: false for "", a root. */
bool parent_path(const char *path, char out[PATH_BYTES_MAX + 1]);

#endif
