/* protect.h -- names that an agent may not write without being asked.
 *
 * What configures the tools that people and programs run by themselves: a
 * repository's hooks, an editor's or shell's startup files, local variables.
 * A name is compared as a careless file system or reader would see it: without
 * case and without characters that cannot be seen.  It is protected also where
 * it does not exist yet.  A name that is common, such as init.el, is protected
 * only where a program would look for it; our own journals wherever they are.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PROTECT_H
#define AQFS_PROTECT_H

#include "workspace.h"

enum protection {
    PROTECT_NONE,
    PROTECT_ASK,   /* writing is dangerous */
    PROTECT_REFUSE /* inside a repository's .git: never */
};

/* Of the place PATH below ROOT: its own name, and those of the directories above it. */
enum protection protect_level(const struct aqfs_workspace *ws, const struct root *root,
                              const char *path);

/* Does the name, as careless readers see it, mean a repository's own directory, .git? */
bool protect_is_repository(const char *name, size_t n);

/* Does the place hold what we keep for ourselves, in a state directory below ROOT? */
bool protect_is_state(const struct aqfs_workspace *ws, const struct root *root, const char *path);

#endif
