/* move_file.c -- move_file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "destination.h"
#include "named_thing.h"
#include "ops.h"

#include <string.h>

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
