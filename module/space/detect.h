/* detect.h -- which directory is the project's root.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DETECT_H
#define AQFS_DETECT_H

#include "error.h"

/* Candidates in the caller's words, absolute, each NULL where there is none. */
struct root_sources {
    const char *explicit_root;
    const char *start; /* the git root is looked for from here upwards */
    const char *asdf_root;
    const char *sly_directory;
    const char *cwd;
    const char *home; /* never a root unless explicit */
};

/* The first source, in that order, that names an existing directory other than / and home.
 * *CANONICAL and *SPELLED, which is how the caller's words name it, are to be freed. */
int detect_root(const struct root_sources *sources, char **canonical, char **spelled,
                const char **method, struct error *e);

#endif
