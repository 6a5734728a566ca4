/* ignoring.h -- which entries a walk leaves out because git ignores them.
 *
 * Of a directory and of those above it, up to the root, count .ignore, .gitignore and,
 * in a repository, .git/info/exclude.  The deepest .ignore that says anything about
 * a name decides, then the deepest .gitignore, then the exclude file.  The rules of
 * git end at the next repository: in a repository inside another one only its
 * own count.  Where the walk begins in a directory that is ignored itself, nothing
 * is left out up to the next repository.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_IGNORING_H
#define AQFS_IGNORING_H

#include "backend.h"
#include "error.h"

#include <pthread.h>
#include <stdatomic.h>

/* The rule files, and the repository, that a directory has. */
enum rule_files { HAS_REPOSITORY = 1, HAS_GITIGNORE = 2, HAS_IGNORE = 4 };

/* The rules of a directory, for what is in it and below. */
struct ignore_level;

struct ignoring {
    pthread_mutex_t lock; /* guards `all` */
    struct ignore_level *all;
    const struct ignore_level *above; /* of the directories above the walk's start */
    _Atomic size_t left; /* of what all questions may cost; 0: nothing is left out any more */
};

/* Reads the rules above PLACE, where a walk is to begin.  Call ignoring_close in either case. */
int ignoring_open(struct aqfs_workspace *ws, const struct place *place, struct ignoring *i,
                  struct error *e);
void ignoring_close(struct ignoring *i);

/* The RULE_FILES bit that the entry NAME stands for, or 0. */
unsigned ignoring_notice(const char *name, size_t n, enum node_type type);

/* Sets *LEVEL to the rules for what is in the directory PATH, relative to ROOT, which HAS such
 * files.  ABOVE is the level of the directory that it is in.  False without memory.  Several
 * threads may call this at once. */
bool ignoring_enter(struct ignoring *i, struct aqfs_workspace *ws, const struct root *root,
                    const char *path, unsigned has, const struct ignore_level *above,
                    const struct ignore_level **level);

/* Is there any rule? */
bool ignoring_may(const struct ignore_level *level);

/* Do the rules of LEVEL, which the entry is below, leave out the entry PATH, relative to the root?
 * Takes the cost off *LEFT. */
bool ignoring_leaves_out(const struct ignore_level *level, const char *path, size_t n,
                         bool is_directory, size_t *left);

/* Takes COST off what the questions of the walk may still cost. */
void ignoring_spend(struct ignoring *i, size_t cost);

#endif
