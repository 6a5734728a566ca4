/* parent.c -- opening the directory that a path's last name is in.
 *
 * SPDX-License-Identifier: MIT
 */
#include "parent.h"

#include <string.h>

bool parent_path(const char *path, char out[PATH_BYTES_MAX + 1]) {
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) : 0;
    memcpy(out, path, n);
    out[n] = '\0';
    return path[0] != '\0';
}

bool parent_is_shared(const struct place *a, const struct place *b) {
    const char *x = strrchr(a->path, '/'), *y = strrchr(b->path, '/');
    size_t n = x ? (size_t)(x - a->path) : 0, k = y ? (size_t)(y - b->path) : 0;
    return a->root == b->root && n == k && memcmp(a->path, b->path, n) == 0;
}

int parent_open(struct aqfs_workspace *ws, const struct root *root, const char *path,
                struct parent *out, struct error *e) {
    char above[PATH_BYTES_MAX + 1];
    if (!parent_path(path, above))
        return fail(e, AQFS_INVALID_ARGUMENT, "A project root itself cannot be changed");
    out->name = path_basename(path);
    return ws->backend->open(ws, root, above, OPEN_DIRECTORY, &out->node, e);
}

void parent_close(struct parent *p) {
    node_close(&p->node);
}
