/* copy_file.c -- copy_file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "destination.h"
#include "named_thing.h"
#include "ops.h"

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
