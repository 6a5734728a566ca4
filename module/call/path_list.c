/* path_list.c -- the argument `paths`: see path_list.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "path_list.h"

int path_list_check(struct call *c) {
    const struct value *paths = call_arg(c, "paths");
    if (call_arg(c, "path")->given)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "Give either path or paths, not both");
    if (paths->count == 0 || paths->count > PATHS_MOST)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "paths: expected from 1 to %d files or directories, got %zu", PATHS_MOST,
                    paths->count);
    return AQFS_OK;
}

bool path_list_ends(int code) {
    return code == AQFS_CANCELLED || code == AQFS_LIMIT || code == AQFS_ROOT_MOVED;
}
