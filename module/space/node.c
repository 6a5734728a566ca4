/* node.c -- open nodes of any backend.
 *
 * SPDX-License-Identifier: MIT
 */
#include "backend.h"

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
