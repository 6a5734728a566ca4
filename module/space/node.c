/* node.c -- open nodes of any backend, and the directories that they are in.
 *
 * SPDX-License-Identifier: MIT
 */
#include "node.h"

#include <string.h>

const char *node_type_name(enum node_type type) {
    static const char *const names[] = {
        [NODE_FILE] = "file",   [NODE_DIRECTORY] = "directory", [NODE_SYMLINK] = "symlink",
        [NODE_OTHER] = "other", [NODE_UNKNOWN] = "other",       [NODE_MISSING] = "missing",
    };
    return names[type];
}

void node_close(struct node *node) {
    if (node->backend)
        node->backend->close(node);
    node->backend = NULL;
}

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
