/* make_directory.c -- make_directory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "named_thing.h"
#include "ops.h"
#include "plan.h"

int plan_make_directory(struct call *c, struct plan *p) {
    struct place at;
    struct info seen;
    struct text_ref path = call_text(c, "path");
    int code = plan_locate(&c->work, p, path, LOCATE_MISSING, &at, &seen);
    if (code)
        return code;
    if (seen.type == NODE_DIRECTORY && call_bool(c, "exist_ok"))
        return AQFS_OK;
    if (seen.type != NODE_MISSING)
        return fail_place(c, AQFS_EXISTS, path, "exists already");
    code = plan_parents(&c->work, p, &at, call_bool(c, "parents"));
    struct change *change;
    code = code ? code : plan_add_at(&c->work, p, CHANGE_MAKE_DIRECTORY, &at, &seen, &change);
    if (!code)
        change->given = path;
    return code;
}

void report_make_directory(struct call *c, const struct plan *p) {
    AUTO(buf_free) struct buf path = {0};
    struct text_ref given = call_text(c, "path");
    if (p->n > 0) {
        const struct place *at = &p->changes[p->n - 1]->at;
        place_show(c->work.ws, at->root, at->path, at->len, &path);
    } else {
        buf_add(&path, given.data, given.len);
    }
    reply_kv_path(&c->reply, KEY_PATH, path.data, path.len);
    reply_kv_bool(&c->reply, KEY_CREATED, p->n > 0);
    reply_kv_int(&c->reply, KEY_DIRECTORIES, (int64_t)p->n);
    buf_str(&c->text, p->n > 0 ? "Made directory " : "There is directory ");
    path_show_safe(&c->text, path.data, path.len);
    buf_char(&c->text, '\n');
}
