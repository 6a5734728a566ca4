/* git_tree.h -- where the working tree of a git repository begins, above a directory of this
 * machine.
 *
 * As git, this trusts nobody else's directories: whoever writes `.git` decides
 * which commands run there, and which directory is a project.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GIT_TREE_H
#define AQFS_GIT_TREE_H

#include "path.h"

#include <stdbool.h>

/* Makes PATH, the canonical path of a directory, that of the nearest directory from there upwards
 * at which a working tree begins: its `.git` is a repository, a link to one, or a pointer file to
 * one, and belongs to the caller or to root, as the repository does.  False if there is none.
 *
 * Neither / nor HOME (canonical, or NULL) is taken.  Nothing is looked at above HOME, above a
 * mount point, nor at or above a directory that belongs to another user, or to root and may be
 * written to by everybody, as /tmp. */
bool git_tree_find(char *path, const char *home);

/* Is PATH, the canonical path of a directory, inside a directory that git takes for a repository,
 * and not in a working tree that begins below that? */
bool git_tree_in_repository(const char *path);

/* Does git take the directory PATH, of any name, for a repository's own? */
bool git_tree_is_repository(const char *path);

/* Makes TREE the top of the linked working tree whose store is STORE.  False if STORE is none of
 * the caller's or of root's, or there is no such tree. */
bool git_tree_of_store(const char *store, char tree[PATH_BYTES_MAX + 1]);

/* The canonical paths of the repository of the working tree that begins at TREE: its own directory,
 * and the one that it shares with other working trees, mostly the same.  False if no tree of the
 * caller's or of root's begins there. */
bool git_tree_directory(const char *tree, char own[PATH_BYTES_MAX + 1],
                        char shared[PATH_BYTES_MAX + 1]);

#endif
