/* get_project_root.c -- get_project_root.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "ops.h"

#include "workspace_open.h"

static bool has_moved(const struct aqfs_workspace *ws) {
    return ws->backend->has_moved && ws->backend->has_moved(ws, NULL);
}

int op_get_project_root(struct call *c) {
    const struct root *root = &c->work.ws->roots[0];
    workspace_describe(c->work.ws, &c->reply);
    bool moved = has_moved(c->work.ws);
    reply_kv_bool(&c->reply, KEY_MOVED, moved);
    buf_str(&c->text, "Project root: ");
    path_show_safe(&c->text, root->path, root->len);
    buf_printf(&c->text, "/\nDetection method: %s\n%s", c->work.ws->root_method,
               moved ? "It was moved or replaced, and must be opened again\n" : "");
    return AQFS_OK;
}
