/* git_config.h -- the files that a configuration of git names, which git then obeys.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GIT_CONFIG_H
#define AQFS_GIT_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

/* The directory that the path is relative to, and the kind of thing it names. */
enum git_config_kind {
    GIT_CONFIG_INCLUDE, /* another configuration; relative to the one that names it */
    GIT_CONFIG_TREE,    /* where the working tree begins; relative to the repository's directory */
    GIT_CONFIG_WORK,    /* something that git obeys; relative to the directory where git runs, which
                           is the top of a working tree or the repository's */
    GIT_CONFIG_COMMAND  /* the same, with words for a shell behind it or before it */
};

/* PATH is NUL-terminated and as git reads it, without quotes; it may begin with `~/`.  A non-zero
 * answer ends the reading. */
typedef int (*git_config_each)(void *data, enum git_config_kind kind, const char *path);

/* Calls EACH for include.path, includeIf.*.path (whatever its condition is), core.hooksPath,
 * core.attributesFile, core.worktree and what names commands, such as core.fsmonitor,
 * filter.*.clean and aliases for a shell, in TEXT, which has N bytes.  A text that is no
 * configuration has none.  Returns the answer that was not zero, or 0. */
int git_config_read(const char *text, size_t n, git_config_each each, void *data);

#endif
