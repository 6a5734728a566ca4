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

/* Copies the file or directory `start` to `path` in ws->memory. */
int mount_copy(struct mount *m, struct error *e);

#endif
