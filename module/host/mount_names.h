/* mount_names.h -- the names that a directory has beside its path, because something is mounted.
 *
 * A mount may show a part of a file system: `mount --bind repository/.git/hooks work` gives the
 * hooks a name that does not tell what they are.  The kernel says which directory of its file
 * system each mount shows (/proc/self/mountinfo), so the other names can be found.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MOUNT_NAMES_H
#define AQFS_MOUNT_NAMES_H

#include "buf.h"

#include <stdint.h>

/* Appends the other absolute names of the directory PATH, which is canonical and on the mount with
 * the id MOUNT, each with a NUL: its name inside its file system, if the mount shows a part of
 * that, and those through other mounts.  They are names only: whoever opens one looks at what is
 * there.  Appends nothing where the kernel does not tell. */
void mount_names_add(const char *path, uint64_t mount, struct buf *out);

#endif
