/* protect.h -- names that other programs obey: writing them is dangerous, or refused.
 *
 * Protected are files that configure what other programs run: the hooks of a
 * repository, the startup files of editors and shells, files of local variables.
 * A name is compared as a careless file system or reader would take it: without
 * case and without invisible characters.  It is protected also where it does
 * not exist yet.  A common name, such as init.el, is protected only where a
 * program looks for it; our own journals are protected wherever they are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PROTECT_H
#define AQFS_PROTECT_H

#include "workspace.h"

/* The protection of the place PATH below ROOT: the strictest of its own name and of the names of
 * all directories above it, up to /.  Other names may lead to the same place: passed.h. */
enum protection protect_level(const struct aqfs_workspace *ws, const struct root *root,
                              const char *path);

/* The strictest protection of anything below the absolute PATHS, each with a NUL, N bytes in all,
 * for the names in them. */
enum protection protect_level_of_paths(const char *paths, size_t n);

/* Would a careless file system or reader take NAME for .git? */
bool protect_is_repository(const char *name, size_t n);

/* Is the place in our own state directory, where that is below ROOT? */
bool protect_is_state(const struct aqfs_workspace *ws, const struct root *root, const char *path);

#endif
