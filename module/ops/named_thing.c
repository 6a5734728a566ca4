/* named_thing.c -- files and directories by their names: what several tools check and hash.
 *
 * SPDX-License-Identifier: MIT
 */
#include "named_thing.h"

#include "cleanup.h"
#include "plan_tree.h"

#include <string.h>

int fail_place(struct call *c, enum code code, struct text_ref path, const char *problem) {
    char label[PATH_LABEL];
    return fail(&c->work.error, code, "Path '%s' %s", path_label(path.data, path.len, label),
                problem);
}

int fail_not_file(struct call *c, struct text_ref path, enum node_type type) {
    if (type == NODE_DIRECTORY)
        return fail_place(c, AQFS_IS_DIRECTORY, path, "is a directory");
    return fail_place(c, AQFS_NOT_REGULAR, path,
                      "is not a regular file (a device, FIFO or socket)");
}

struct text_ref name_itself(struct text_ref path, bool *as_directory) {
    size_t before = path.len;
    while (path.len > 1 &&
           (path.data[path.len - 1] == '/' ||
            (path.len > 2 && path.data[path.len - 1] == '.' && path.data[path.len - 2] == '/')))
        path.len--;
    *as_directory = path.len != before;
    return path;
}

int locate_itself(struct call *c, struct plan *p, struct text_ref path, struct place *at,
                  struct info *seen) {
    bool as_directory;
    int code = plan_locate(&c->work, p, name_itself(path, &as_directory), LOCATE_LINK, at, seen);
    if (code)
        return code;
    if (as_directory && seen->type != NODE_DIRECTORY)
        return fail_place(c, AQFS_NOT_A_DIRECTORY, path, "is not a directory");
    if (at->len == 0)
        return fail_place(c, AQFS_INVALID_ARGUMENT, path, "is a project root");
    return AQFS_OK;
}

/* Moving or deleting a directory also moves or deletes what is below it, and so must not reach what
 * rules deny there. */
int check_below(struct call *c, struct text_ref path, const struct place *at) {
    AUTO(buf_free) struct buf whole = {0};
    buf_add(&whole, at->root->path, at->root->len);
    buf_char(&whole, '/');
    buf_add(&whole, at->path, at->len);
    if (whole.failed)
        return fail_memory(&c->work.error);
    if (rules_deny_below(&c->work.ws->rules, whole.data, whole.len))
        return fail_place(c, AQFS_RESTRICTED, path, "has restricted paths below it");
    for (size_t i = 0; i < c->work.ws->root_count; i++)
        if (path_is_below(c->work.ws->roots[i].path, c->work.ws->roots[i].len, whole.data,
                          whole.len))
            return fail_place(c, AQFS_INVALID_ARGUMENT, path, "has a project root below it");
    return AQFS_OK;
}

int hash_target(struct call *c, struct change *change, const struct place *at,
                const struct info *info, char hex[HASH_HEX]) {
    struct node node;
    if (info->type == NODE_DIRECTORY)
        return plan_tree(&c->work, change, at, hex);
    if (info->type == NODE_SYMLINK)
        return plan_hash_link(&c->work, at, hex);
    if (info->type != NODE_FILE || info->size > c->work.ws->limits.read_bytes)
        return AQFS_OK;
    if (c->work.ws->backend->open(c->work.ws, at->root, at->path, OPEN_FILE, &node, &c->work.error))
        return AQFS_OK; /* a file that cannot be read can still be moved or deleted */
    int code = plan_hash_file(&c->work, &node, hex);
    node_close(&node);
    return code;
}
