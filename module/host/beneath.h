/* beneath.h -- having the kernel open a path below a directory, with no links allowed.
 *
 * The path is canonical: relative, no link, no `..`.  openat2 refuses whatever
 * has become otherwise; without openat2 the path is walked downwards one
 * component at a time, each opened with O_NOFOLLOW.  Both are the authority on
 * containment: what was judged before is opened, or nothing is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_BENEATH_H
#define AQFS_BENEATH_H

#include "workspace.h"

/* A descriptor for ROOT/PATH ("" is the root itself), or -errno.  FLAGS as for open;
 * O_CLOEXEC and O_NOFOLLOW are added.  -ELOOP, -ENOTDIR: there is a link; -EXDEV: a mount. */
int beneath_open(struct aqfs_workspace *ws, const struct root *root, const char *path, int flags);

/* May what is below ROOT be on another mount? */
bool beneath_may_cross(const struct aqfs_workspace *ws, const struct root *root);

/* Is DESCRIPTOR on one of the file systems of which this is known: a read that gives less than was
 * asked for means that the file ends there, or that what is next on the disk cannot be read; and
 * syncfs puts on disk all that fsync does? */
bool beneath_is_well_known(int descriptor);

/* What DESCRIPTOR is; -errno on failure. */
int beneath_stat(int descriptor, struct info *out);

/* What the entry NAME of DIRECTORY is, never what it links to; -errno on failure. */
int beneath_stat_at(int directory, const char *name, struct info *out);

#endif
