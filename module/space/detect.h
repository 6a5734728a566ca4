/* detect.h -- which directory is the project's root.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DETECT_H
#define AQFS_DETECT_H

#include "error.h"

/* Candidates for the root: absolute paths as the caller spelled them, each may be NULL. */
struct root_sources {
    const char *explicit_root;
    const char *start; /* the git root is looked for from here upwards: git_tree.h */
    const char *asdf_root;
    const char *sly_directory;
    const char *cwd;
    const char *home; /* the home directory, which is a root only when it is explicit_root */
};

/* Finds the root: the first source, in the order of the struct, that names an existing directory
 * other than / and home.  The caller frees *CANONICAL, the root's canonical path, and *SPELLED, the
 * same directory as the caller spelled it.  *METHOD names the source: "explicit", "git", "asdf",
 * "sly" or "cwd". */
int detect_root(const struct root_sources *sources, char **canonical, char **spelled,
                const char **method, struct error *e);

#endif
