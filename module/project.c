/* project.c -- get_project_root. */
#include "call.h"

#include <string.h>
#include <sys/stat.h>

/* The root is held open; its name may meanwhile lead elsewhere. */
static bool has_moved(const struct aqfs_workspace *ws) {
    const struct root *root = &ws->roots[0];
    struct stat s;
    return stat(root->path, &s) != 0 || s.st_ino != root->inode;
}

void workspace_describe(const struct aqfs_workspace *ws, struct reply *r) {
    const struct root *root = &ws->roots[0];
    struct buf shown = {0};
    path_show(&shown, root->path, root->len);
    buf_char(&shown, '/');
    reply_kv_string(r, "root", shown.data ? shown.data : "", shown.len);
    reply_kv_keyword(r, "method", ws->root_method);
    reply_kv_keyword(r, "mode", ws->unrestricted ? "unrestricted" : "restricted");
    reply_kv_keyword(r, "backend", ws->backend->name);
    reply_kv_bool(r, "read-only", ws->read_only);
    buf_free(&shown);
}

int op_get_project_root(struct call *c) {
    const struct root *root = &c->ws->roots[0];
    workspace_describe(c->ws, &c->reply);
    reply_kv_bool(&c->reply, "moved", has_moved(c->ws));
    path_show_safe(&c->text, root->path, root->len);
    buf_printf(&c->text, "/ (%s)", c->ws->root_method);
    return AQFS_OK;
}
