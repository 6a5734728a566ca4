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

/* Judges the name ROOT/LINK/REST, where LINK is a link that is about to be followed, and REST is
 * what follows it in the path.  REST counts as far as it has no `..`.  Raises *LEVEL to the
 * protection of that name; what is below a `.git` that is a link is refused as it is below a
 * directory.  Sets *SECRET, unless it is set, to why the name is secret.  Appends the name to
 * NAMES, as place_show writes it, with a NUL; NAMES may be NULL. AQFS_RESTRICTED where that name is
 * restricted. */
int passed_link(const struct aqfs_workspace *ws, const struct root *root, const char *link,
                const char *rest, enum protection *level, const struct secret_group **secret,
                struct buf *names, struct error *e);

#endif
