/* workspace_describe.c -- the reply that describes a workspace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mount.h"
#include "reply.h"
#include "workspace_open.h"

#include <string.h>

/* An option such as read_lines is the member :read-lines of a reply. */
static void describe_limit(struct reply *r, const char *option, int64_t value) {
    char key[32];
    size_t n = strlen(option);
    for (size_t i = 0; i <= n; i++)
        key[i] = option[i] == '_' ? '-' : option[i];
    reply_kv_int(r, key, value);
}

void workspace_describe(const struct aqfs_workspace *ws, struct reply *r) {
    const struct root *root = &ws->roots[0];
    struct buf shown = {0};
    path_show(&shown, root->path, root->len);
    buf_char(&shown, '/');
    reply_kv_string(r, KEY_ROOT, shown.data ? shown.data : "", shown.len);
    reply_kv_keyword(r, KEY_METHOD, ws->root_method);
    reply_kv_keyword(r, KEY_MODE, ws->unrestricted ? "unrestricted" : "restricted");
    reply_kv_keyword(r, KEY_BACKEND, ws->backend->name);
    reply_kv_bool(r, KEY_READ_ONLY, ws->read_only);
    mounts_describe(ws, r);
    buf_free(&shown);
}

void workspace_describe_opened(const struct aqfs_workspace *ws, struct reply *r) {
    workspace_describe(ws, r);
    reply_key(r, KEY_LIMITS);
    reply_map(r);
#define X(field, value, least, most, doc) describe_limit(r, #field, ws->limits.field);
    LIMITS(X)
#undef X
    reply_end_map(r);
}
