/* changes_undo.c -- changes_undo.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "review.h"
#include "review_ops.h"

#include <string.h>

int plan_changes_undo(struct call *c, struct plan *p) {
    AUTO(review_free) struct review r = {0};
    const struct value *hunks = call_arg(c, "hunks"), *calls = call_arg(c, "calls");
    if (!hunks->known && !calls->known)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "Give calls, the ids of calls to take back, or hunks, or both");
    int code = review_run(c, &r);
    if (!code && r.lost > 0)
        return fail(&c->work.error, AQFS_NOT_FOUND,
                    "Of %zu of these calls there is no record (any more): nothing was taken back",
                    r.lost);
    code = code ? code : review_plan(&r, p, hunks);
    return code;
}

static const char *undone(const struct change *change) {
    if (change->kind == CHANGE_DELETE)
        return "deleted";
    if (change->kind == CHANGE_MOVE)
        return "moved";
    return change->seen.type == NODE_MISSING ? "added" : "modified";
}

void report_changes_undo(struct call *c, const struct plan *p) {
    reply_key(&c->reply, KEY_FILES);
    reply_list(&c->reply);
    for (size_t i = 0; i < p->n; i++) {
        const struct change *change = p->changes[i];
        AUTO(buf_free) struct buf path = {0};
        place_show(c->work.ws, change->at.root, change->at.path, change->at.len, &path);
        c->reply.out.failed = c->reply.out.failed || path.failed;
        reply_map(&c->reply);
        reply_kv_path(&c->reply, KEY_PATH, path.data ? path.data : "", path.len);
        reply_kv_keyword(&c->reply, KEY_ACTION, undone(change));
        reply_end_map(&c->reply);
        buf_printf(&c->text, "%s ", undone(change));
        path_show_safe(&c->text, path.data ? path.data : "", path.len);
        buf_char(&c->text, '\n');
    }
    reply_end_list(&c->reply);
    if (p->n == 0)
        buf_str(&c->text, "Nothing is left of it: nothing was done\n");
}
