/* move_file.c -- move_file, and the steps that it shares with copy_file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "destination.h"
#include "named_thing.h"
#include "ops.h"

#include <string.h>

/* -- shared with copy_file: destination.h ------------------------------------------------------ */

int locate_destination(struct call *c, struct plan *p, struct change *change, unsigned flags) {
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

bool moves_onto_itself(const struct change *change) {
    return change->seen.type != NODE_MISSING && change->seen.inode == change->seen_from.inode &&
           change->seen.device == change->seen_from.device;
}

/* The digest covers both hashes: an approval is for the loss of what was at the destination when it
 * was shown, and of nothing newer. */
int hash_both(struct call *c, struct change *change) {
    int code = hash_target(c, change, &change->from, &change->seen_from, change->will_hold);
    return code ? code : hash_target(c, change, &change->at, &change->seen, change->held);
}

int add_with_parents(struct call *c, struct plan *p, const struct change *draft) {
    int code = plan_parents(&c->work, p, &draft->at, call_bool(c, "create_parents"));
    struct change *change = code ? NULL : plan_add(p, draft->kind);
    if (!change)
        return code ? code : fail_memory(&c->work.error);
    *change = *draft;
    return AQFS_OK;
}

/* Writes the member KEY, and adds to the words: PLACE, or the argument NAME as given without one.
 */
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
    reply_argument(c, KEY_SOURCE, twin ? &change->at : &change->from, "source");
    buf_str(&c->text, " to ");
    reply_argument(c, KEY_DESTINATION, twin ? NULL : &change->at, "destination");
    bool replaced = twin || change->seen.type != NODE_MISSING;
    reply_kv_bool(&c->reply, KEY_REPLACED, replaced);
    buf_str(&c->text, replaced ? ", replacing what was there\n" : "\n");
}

/* -- move_file --------------------------------------------------------------------------------- */

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

int plan_move_file(struct call *c, struct plan *p) {
    struct change draft = {.kind = CHANGE_MOVE};
    int code = locate_itself(c, p, call_text(c, "source"), &draft.from, &draft.seen_from);
    code = code ? code : locate_destination(c, p, &draft, LOCATE_LINK);
    code = code ? code : check_move(c, &draft);
    if (code)
        return code;
    if (moves_onto_itself(&draft)) { /* rename(2) would do nothing and succeed: delete a name */
        draft.kind = CHANGE_DELETE;
        draft.at = draft.from;
        draft.seen = draft.seen_from;
        draft.from = (struct place){0};
    } else {
        code = hash_both(c, &draft);
    }
    return code ? code : add_with_parents(c, p, &draft);
}
