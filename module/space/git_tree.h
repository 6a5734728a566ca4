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

#endif
