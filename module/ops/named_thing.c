/* named_thing.c -- what delete_file, move_file and copy_file ask of what has a name.
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

/* The path without trailing slashes, which would make a link mean what it leads to. */
struct text_ref name_itself(struct text_ref path, bool *as_directory) {
    size_t before = path.len;
    while (path.len > 1 &&
           (path.data[path.len - 1] == '/' ||
            (path.len > 2 && path.data[path.len - 1] == '.' && path.data[path.len - 2] == '/')))
        path.len--;
    *as_directory = path.len != before;
    return path;
}

/* Locates what is to be moved or deleted: the thing that has this name, never what it links to. */
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

static int absolute(const struct place *at, struct buf *out) {
    buf_add(out, at->root->path, at->root->len);
    buf_char(out, '/');
    buf_add(out, at->path, at->len);
    return out->failed ? AQFS_LIMIT : AQFS_OK;
}

/* Moving or deleting a directory acts on what is below it, also where that has rules of its own. */
int check_below(struct call *c, struct text_ref path, const struct place *at) {
    AUTO(buf_free) struct buf whole = {0};
    if (absolute(at, &whole))
        return fail_memory(&c->work.error);
    if (rules_deny_below(&c->work.ws->rules, whole.data, whole.len))
        return fail_place(c, AQFS_RESTRICTED, path, "has restricted paths below it");
    for (size_t i = 0; i < c->work.ws->root_count; i++)
        if (path_is_below(c->work.ws->roots[i].path, c->work.ws->roots[i].len, whole.data,
                          whole.len))
            return fail_place(c, AQFS_INVALID_ARGUMENT, path, "has a project root below it");
    return AQFS_OK;
}

/* HEX becomes the hash of what is AT a place. */
int hash_target(struct call *c, struct change *change, const struct place *at,
                const struct info *info, char hex[HASH_HEX]) {
    struct node node;
    if (info->type == NODE_DIRECTORY)
        return plan_tree(&c->work, change, at, hex);
    if (info->type != NODE_FILE || info->size > c->work.ws->limits.read_bytes)
        return AQFS_OK; /* its inode, size and time have to do */
    if (c->work.ws->backend->open(c->work.ws, at->root, at->path, OPEN_FILE, &node, &c->work.error))
        return AQFS_OK; /* what cannot be read can still be deleted */
    int code = plan_hash_file(&c->work, &node, hex);
    node_close(&node);
    return code;
}
