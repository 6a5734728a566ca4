/* passed.h -- the names by which a path leads through links.
 *
 * Programs obey a name: direnv reads `.envrc`, and git reads `.git/config`,
 * also where `.envrc` is a link to `shared/envrc` and `.git` one to `store`.  So a
 * change is judged by every name that its path has on the way: the name of each link with the
 * rest of the path behind it, and at last the name of the place that they lead to.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PASSED_H
#define AQFS_PASSED_H

#include "workspace.h"

/* The findings about the names that a path has passed. */
struct passed {
    enum protection level;
    const struct secret_group *secret; /* why one of them is secret, or NULL */
    struct buf *names;                 /* where they are collected, or NULL */
};

/* Judges the name ROOT/LINK/REST, where LINK is a link that is about to be followed, and REST is
 * what follows it in the path.  REST counts as far as it has no `..`.  Raises the level of PASSED
 * to the protection of that name; what is below a `.git` that is a link is refused as it is below a
 * directory.  Sets the secret, unless it is set.  Appends the name to the names, as place_show
 * writes it, with a NUL.  AQFS_RESTRICTED where that name is restricted. */
int passed_link(const struct aqfs_workspace *ws, const struct root *root, const char *link,
                const char *rest, struct passed *passed, struct error *e);

#endif
