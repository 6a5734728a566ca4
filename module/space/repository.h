/* repository.h -- which directory git takes for a repository's own, whatever its name.
 *
 * Programs run what is configured there: hooks, filters, fsmonitor.  Such a
 * directory need not be called .git: a `.git` may be a link, or a file that says
 * `gitdir: ...`, the directory of a worktree leads to another by its `commondir`, and git takes a
 * bare repository for one wherever it finds it.  Git itself goes by what is in the
 * directory, so that is asked here: HEAD, with objects and refs or with commondir.  Of what
 * kind these are is not asked: a directory that git does not take for a repository by that alone
 * is about to become one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REPOSITORY_H
#define AQFS_REPOSITORY_H

#include "backend.h"

/* The names in a directory that make it a repository. */
enum repository_part {
    REPOSITORY_HEAD = 1,
    REPOSITORY_OBJECTS = 2,
    REPOSITORY_REFS = 4,
    REPOSITORY_COMMONDIR = 8,
    REPOSITORY_CORE = REPOSITORY_OBJECTS | REPOSITORY_REFS
};

/* The part that NAME is, in any case of letters, or 0. */
unsigned repository_part(const char *name, size_t n);

/* Do PARTS make a repository? */
bool repository_is_whole(unsigned parts);

/* Which of the PARTS are in the open directory. */
unsigned repository_parts(const struct node *directory, unsigned parts);

/* Such a file begins with this word. */
#define REPOSITORY_WORD "gitdir: "

/* Is the file `.git` of these N bytes a pointer to a repository, as those of worktrees and
 * submodules are? */
bool repository_is_pointer(const char *bytes, size_t n);

/* Bytes of a pointer file that are enough to read. */
#define REPOSITORY_POINTER (PATH_BYTES_MAX + 16)

/* Does a working tree begin at the open directory: is its `.git` a repository or a pointer to one?
 */
bool repository_begins_tree(const struct node *directory);

#endif
