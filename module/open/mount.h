/* mount.h -- copies of directories of this machine, in memory or a session.
 *
 *     mounts: [{host_path: "docs/", mount_path: "ref", include_glob: ["*.md"],
 *               exclude_glob: [], max_bytes: 100000, follow_symlinks: false}]
 *     allowed_host_roots: ["/home/me/project"]
 *
 * Mounts are copied once, when the workspace is opened, in the order in which
 * they are given, and each in the order of its paths; a later file replaces an
 * earlier one at the same path.  The allowed root that contains host_path is
 * opened as a workspace of its own, so no link leads out of it.  Nothing is left
 * out silently: a file that cannot be copied is an error that names the mount,
 * and links, devices and the like are counted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MOUNT_H
#define AQFS_MOUNT_H

#include "workspace.h"

struct reply;

/* The members of each of the mounts. */
enum { MOUNT_PARAM_COUNT = 6 };
extern const struct param mount_params[MOUNT_PARAM_COUNT];

struct mounted {
    char *path;                    /* where it was copied to, "." for the root */
    int64_t files, bytes, skipped; /* skipped: links not followed, FIFOs, devices, other mounts */
    size_t secrets;                /* that were made secret by their paths in the copy */
};

/* Copies the mounts among the options into ws->memory, and describes them in ws->mounted. */
int mounts_copy(struct aqfs_workspace *ws, const struct options *o, struct error *e);

/* Writes the member :mounts, a list of (:path :files :bytes :skipped). */
void mounts_describe(const struct aqfs_workspace *ws, struct reply *r);

/* Frees ws->mounted. */
void mounted_free(struct aqfs_workspace *ws);

#endif
