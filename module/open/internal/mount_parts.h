/* mount_parts.h -- one mount, as mount.c and mount_copy.c share it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MOUNT_PARTS_H
#define AQFS_MOUNT_PARTS_H

#include "glob.h"
#include "memory.h"
#include "mount.h"

struct mount {
    struct aqfs_workspace *ws;     /* the workspace that it is copied into */
    struct aqfs_workspace *source; /* the allowed root that it is read from */
    struct place start;            /* in `source`: the place of host_path */
    char path[PATH_BYTES_MAX + 1]; /* where it is copied to, "" for the root */
    struct glob_set include, exclude;
    int64_t most; /* the most bytes that this mount may have: max_bytes */
    int64_t left; /* bytes that earlier mounts have left of limits.mount_bytes */
    bool follows; /* links are followed */
    struct mounted *done;
};

/* Writes the path in the workspace of the entry BELOW the mount's start. */
int mount_target(const struct mount *m, const char *below, struct buf *out, struct error *e);

/* Makes the copy of FROM, which INFO describes and which is BELOW the mount's start, a secret, if
 * FROM is one. */
int mount_keep_secret(const struct mount *m, const struct place *from, const struct info *info,
                      const char *below, struct error *e);

/* Copies the file or directory `start` to `path` in ws->memory. */
int mount_copy(struct mount *m, struct error *e);

#endif
