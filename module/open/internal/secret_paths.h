/* secret_paths.h -- the option secret_paths.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SECRET_PATHS_H
#define AQFS_SECRET_PATHS_H

#include "options.h"
#include "workspace.h"

/* Makes ws->secrets of the option, where that names anything.  AQFS_INVALID_ARGUMENT names an entry
 * that is no path and no glob. */
int secret_paths_open(struct aqfs_workspace *ws, const struct options *o, struct error *e);

/* Appends PATH in canonical form: links are resolved in the part that exists.  The rest has no
 * links yet, so its `..` are resolved as text. */
int canonical_of(const struct aqfs_workspace *ws, const char *path, struct buf *out,
                 struct error *e);

#endif
