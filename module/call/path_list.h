/* path_list.h -- the argument `paths`, of operations that also take one `path`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATH_LIST_H
#define AQFS_PATH_LIST_H

#include "call.h"

/* As many paths may be named in one call. */
#define PATHS_MOST 50

/* Checks the argument `paths`, which was given.  AQFS_INVALID_ARGUMENT if the argument `path` was
 * given, too, or paths are none or too many. */
int path_list_check(struct call *c);

/* Is an error with CODE about the call, and not about one of its paths? */
bool path_list_ends(int code);

#endif
