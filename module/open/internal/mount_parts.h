/* mount_parts.h -- what the parts of mounting share; for mount*.c only.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MOUNT_PARTS_H
#define AQFS_MOUNT_PARTS_H

#include "glob.h"
#include "memory.h"
#include "mount.h"

struct mount {
    struct aqfs_workspace *ws;     /* that it is copied into */
    struct aqfs_workspace *source; /* that it is read from */
    struct place start;            /* there: what host_path leads to */
    char path[PATH_BYTES_MAX + 1]; /* where it goes, "" for the root */
    struct glob_set include, exclude;
    int64_t most; /* max_bytes */
    int64_t left; /* of limits.mount_bytes */
    bool follows; /* links */
    struct mounted *done;
};

/* Copies what `start` is to `path` in ws->memory: mount_copy.c. */
int mount_copy(struct mount *m, struct error *e);

#endif
