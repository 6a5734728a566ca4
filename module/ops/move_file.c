/* manage.c -- move_file, copy_file and delete_file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "ops.h"
#include "plan.h"
#include "plan_tree.h"

#include <string.h>

static int fail_place(struct call *c, enum code code, struct text_ref path, const char *problem) {
    char label[PATH_LABEL];
    return fail(&c->work.error, code, "Path '%s' %s", path_label(path.data, path.len, label),
                problem);
}

/* The path without trailing slashes, which would make a link mean what it leads to. */
static struct text_ref name_itself(struct text_ref path, bool *as_directory) {
    size_t before = path.len;
    while (path.len > 1 &&
           (path.data[path.len - 1] == '/' ||
            (path.len > 2 && path.data[path.len - 1] == '.' && path.data[path.len - 2] == '/')))
        path.len--;
    *as_directory = path.len != before;
    return path;
}

/* Locates what is to be moved or deleted: the thing that has this name, never what it links to. */
static int locate_itself(struct call *c, struct plan *p, struct text_ref path, struct place *at,
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
static int check_below(struct call *c, struct text_ref path, const struct place *at) {
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

/* -- delete ----------------------------------------------------------------------------------- */

/* HEX becomes the hash of what is AT a place. */
static int hash_target(struct call *c, struct change *change, const struct place *at,
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

int plan_delete_file(struct call *c, struct plan *p) {
    struct text_ref path = call_text(c, "path");
    struct change *change = plan_add(p, CHANGE_DELETE);
    if (!change)
        return fail_memory(&c->work.error);
    change->given = path;
    int code = locate_itself(c, p, path, &change->at, &change->seen);
    if (code)
        return code;
    if (change->seen.type == NODE_DIRECTORY && !call_bool(c, "recursive"))
        return fail_place(c, AQFS_IS_DIRECTORY, path, "is a directory: give recursive=true");
    if (change->seen.type == NODE_DIRECTORY)
        code = check_below(c, path, &change->at);
    return code ? code : hash_target(c, change, &change->at, &change->seen, change->held);
}

void report_delete(struct call *c, const struct plan *p) {
    const struct change *change = p->changes[0];
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, change->at.root, change->at.path, change->at.len, &path);
    reply_kv_path(&c->reply, "path", path.data, path.len);
    reply_kv_keyword(&c->reply, "type", node_type_name(change->seen.type));
    reply_kv_int(&c->reply, "entries", change->entries);
    buf_printf(&c->text, "Deleted %s ", node_type_name(change->seen.type));
    path_show_safe(&c->text, path.data, path.len);
    if (change->is_tree) {
        buf_str(&c->text, " with ");
        buf_count(&c->text, change->entries, "entry below it", "entries below it");
    }
    buf_char(&c->text, '\n');
}

/* -- move and copy ---------------------------------------------------------------------------- */

/* The destination: absent, or a file or link that may be replaced. */
static int locate_destination(struct call *c, struct plan *p, struct change *change,
                              unsigned flags) {
    struct text_ref path = call_text(c, "destination");
    bool as_directory;
    int code = plan_locate(&c->work, p, name_itself(path, &as_directory), flags | LOCATE_MISSING,
                           &change->at, &change->seen);
    change->given = path;
    if (code)
        return code;
    if (change->seen.type == NODE_DIRECTORY)
        return fail_place(c, AQFS_EXISTS, path, "is a directory that exists");
    if (as_directory && change->seen_from.type != NODE_DIRECTORY)
        return fail_place(c, AQFS_NOT_A_DIRECTORY, path, "does not exist as a directory");
    if (change->seen.type != NODE_MISSING && !call_bool(c, "allow_overwrite"))
        return fail_place(c, AQFS_EXISTS, path, "exists already");
    return AQFS_OK;
}

static bool moves_onto_itself(const struct change *change) {
    return change->seen.type != NODE_MISSING && change->seen.inode == change->seen_from.inode &&
           change->seen.device == change->seen_from.device;
}

/* Who approves that something is replaced approves that this is lost, and nothing newer. */
static int hash_both(struct call *c, struct change *change) {
    int code = hash_target(c, change, &change->from, &change->seen_from, change->will_hold);
    return code ? code : hash_target(c, change, &change->at, &change->seen, change->held);
}

static int check_move(struct call *c, const struct change *change) {
    const struct place *from = &change->from, *at = &change->at;
    struct text_ref destination = call_text(c, "destination");
    if (from->root == at->root && from->len == at->len && strcmp(from->path, at->path) == 0)
        return fail_place(c, AQFS_INVALID_ARGUMENT, destination, "is the source itself");
    if (from->root == at->root && path_is_below(at->path, at->len, from->path, from->len))
        return fail_place(c, AQFS_INVALID_ARGUMENT, destination, "is inside the source");
    if (change->seen_from.type == NODE_DIRECTORY)
        return check_below(c, call_text(c, "source"), from);
    return AQFS_OK;
}

/* Adds CHANGE behind the directories it needs. */
static int add_with_parents(struct call *c, struct plan *p, const struct change *draft) {
    int code = plan_parents(&c->work, p, &draft->at, call_bool(c, "create_parents"));
    struct change *change = code ? NULL : plan_add(p, draft->kind);
    if (!change)
        return code ? code : fail_memory(&c->work.error);
    *change = *draft;
    return AQFS_OK;
}

int plan_move_file(struct call *c, struct plan *p) {
    struct change draft = {.kind = CHANGE_MOVE};
    int code = locate_itself(c, p, call_text(c, "source"), &draft.from, &draft.seen_from);
    code = code ? code : locate_destination(c, p, &draft, LOCATE_LINK);
    code = code ? code : check_move(c, &draft);
    if (code)
        return code;
    if (moves_onto_itself(&draft)) { /* rename would do nothing and say it had */
        draft.kind = CHANGE_DELETE;
        draft.at = draft.from;
        draft.seen = draft.seen_from;
        draft.from = (struct place){0};
    } else {
        code = hash_both(c, &draft);
    }
    return code ? code : add_with_parents(c, p, &draft);
}

int plan_copy_file(struct call *c, struct plan *p) {
    struct change draft = {.kind = CHANGE_COPY};
    struct text_ref source = call_text(c, "source");
    int code = plan_locate(&c->work, p, source, 0, &draft.from, &draft.seen_from);
    if (!code && draft.seen_from.type == NODE_DIRECTORY)
        code = fail_place(c, AQFS_IS_DIRECTORY, source, "is a directory");
    if (!code && draft.seen_from.type != NODE_FILE)
        code = fail_place(c, AQFS_NOT_REGULAR, source, "is not a regular file");
    code = code ? code : locate_destination(c, p, &draft, 0);
    if (!code && moves_onto_itself(&draft))
        code = fail_place(c, AQFS_INVALID_ARGUMENT, call_text(c, "destination"),
                          "is the source itself");
    if (!code && draft.seen.type != NODE_MISSING && draft.seen.type != NODE_FILE)
        code =
            fail_place(c, AQFS_NOT_REGULAR, call_text(c, "destination"), "is not a regular file");
    code = code ? code : hash_both(c, &draft);
    return code ? code : add_with_parents(c, p, &draft);
}

static void reply_argument(struct call *c, const char *key, const struct place *place,
                           const char *name) {
    AUTO(buf_free) struct buf path = {0};
    struct text_ref given = call_text(c, name);
    if (place)
        place_show(c->work.ws, place->root, place->path, place->len, &path);
    else
        buf_add(&path, given.data, given.len);
    reply_kv_path(&c->reply, key, path.data, path.len);
    path_show_safe(&c->text, path.data, path.len);
}

void report_move(struct call *c, const struct plan *p) {
    const struct change *change = p->changes[p->n - 1];
    bool twin = change->kind == CHANGE_DELETE;
    buf_str(&c->text, change->kind == CHANGE_COPY ? "Copied " : "Moved ");
    reply_argument(c, "source", twin ? &change->at : &change->from, "source");
    buf_str(&c->text, " to ");
    reply_argument(c, "destination", twin ? NULL : &change->at, "destination");
    bool replaced = twin || change->seen.type != NODE_MISSING;
    reply_kv_bool(&c->reply, "replaced", replaced);
    buf_str(&c->text, replaced ? ", replacing what was there\n" : "\n");
}
