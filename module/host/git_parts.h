/* git_parts.h -- where the parts of a repository lie that git obeys: hooks, configuration, ...
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GIT_PARTS_H
#define AQFS_GIT_PARTS_H

#include "backend.h"

struct part_identity {
    uint64_t device, inode;
};

struct git_parts {
    struct part_identity *directories; /* such as hooks, whatever else is called the same */
    size_t directory_n, directory_room;
    char *
        *paths; /* canonical: where links in the repository lead, and paths in its configuration */
    size_t path_n, path_room;
    size_t looked; /* entries, and paths that configurations name */
    bool cut;      /* there are more than was looked at */
};

/* Looks at the repository of the working tree that begins at TREE, a canonical path: at the parts
 * in its directory, in the one that it shares with other working trees, and at the repositories of
 * its submodules.  HOME may be NULL.  A directory that git would not take for a
 * repository of the caller's has no parts.  OUT is empty. */
void git_parts_find(const char *tree, const char *home, struct git_parts *out);
void git_parts_free(struct git_parts *parts);

/* Is the directory that INFO describes one of them? */
bool git_parts_have(const struct git_parts *parts, const struct info *info);

/* Is the absolute PATH one that a part lies at, below one, or above one?  Also true if not all was
 * looked at, in two seconds or within the bounds of git_parts.c. */
bool git_parts_lead_to(const struct git_parts *parts, const char *path);

#endif
