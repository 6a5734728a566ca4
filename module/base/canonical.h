/* canonical.h -- a path without links.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CANONICAL_H
#define AQFS_CANONICAL_H

/* The answer of realpath, for the caller to free; NULL and errno on failure.  The C library's
 * realpath asks by faccessat2 whether it may go through a `..` or a slash at the end, and fails
 * where a sandbox forbids that call; this one does without it then.  Nothing else calls realpath.
 */
char *canonical_path(const char *path);

#endif
