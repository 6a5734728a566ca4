/* beneath.h -- opening a path below a directory, without following links.
 *
 * The path is canonical: relative, no link, no `..`.  openat2 refuses a
 * path that no longer is; without openat2 the path is walked downwards one
 * component at a time, each opened with O_NOFOLLOW.  These two are the authority
 * on containment: they open exactly the place that was judged, or nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_BENEATH_H
#define AQFS_BENEATH_H

#include "workspace.h"

/* A descriptor for ROOT/PATH ("" is the root itself), or -errno.  FLAGS as for open;
 * O_CLOEXEC and O_NOFOLLOW are added.  -ELOOP, -ENOTDIR: a component is a link; -EXDEV: a mount is
 * in the way; -EAGAIN: renames disturbed openat2 too many times. */
int beneath_open(struct aqfs_workspace *ws, const struct root *root, const char *path, int flags);

/* May paths below ROOT be on other mounts? */
bool beneath_may_cross(const struct aqfs_workspace *ws, const struct root *root);

/* Is DESCRIPTOR on a file system with two known properties?  A short read ends at the end of the
 * file or before a part of the disk that cannot be read; and syncfs puts on disk everything that
 * fsync would. */
bool beneath_is_well_known(int descriptor);

/* Is DESCRIPTOR on procfs, or on something that does not tell?  A link there may lead to an open
 * file of a process, not to the path that is its text. */
bool beneath_is_on_proc(int descriptor);

#endif
