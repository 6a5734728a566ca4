/* changes_forget.c -- changes_forget.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "review.h"
#include "review_ops.h"

#include <string.h>

static int check_forgotten(struct call *c, const struct value *calls) {
    for (size_t i = 0; i < calls->count; i++)
        if (!kept_is_id(calls->list[i].data, calls->list[i].len))
            return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                        "calls: expected ids as changes_list shows them");
    return AQFS_OK;
}

/* The first of the records that stay, if their number alone decides. */
static size_t first_kept(const struct call *c, const struct kept_ids *ids) {
    int64_t keep = call_int(c, "keep");
    return (int64_t)ids->n > keep ? ids->n - (size_t)keep : 0;
}

int plan_changes_forget(struct call *c, struct plan *p) {
    AUTO(kept_ids_free) struct kept_ids ids = {0};
    const struct value *calls = call_arg(c, "calls");
    int code = check_forgotten(c, calls);
    code = code ? code : kept_list(&c->work, &ids);
    if (code)
        return code;
    size_t n = calls->known ? calls->count : first_kept(c, &ids);
    buf_printf(&p->summary, "%s: forgets what was replaced by %zu of ", c->op->name, n);
    buf_count(&p->summary, (int64_t)ids.n, "call", "calls");
    for (size_t i = 0; i < n; i++)
        buf_printf(&p->diff, "Forgets %.*s\n", KEPT_ID - 1,
                   calls->known ? calls->list[i].data : ids.all[i]);
    p->bytes = (int64_t)n;
    return p->diff.failed || p->summary.failed ? fail_memory(&c->work.error) : AQFS_OK;
}

/* A record that is gone already is forgotten. */
int prepare_changes_forget(struct call *c, struct plan *p) {
    AUTO(kept_ids_free) struct kept_ids ids = {0};
    const struct value *calls = call_arg(c, "calls");
    char id[KEPT_ID] = "";
    int code = kept_list(&c->work, &ids);
    size_t n = calls->known ? calls->count : first_kept(c, &ids);
    for (size_t i = 0; !code && i < n; i++) {
        memcpy(id, calls->known ? calls->list[i].data : ids.all[i], KEPT_ID - 1);
        kept_forget(c->work.ws, id);
    }
    p->bytes = (int64_t)n;
    return code;
}

void report_changes_forget(struct call *c, const struct plan *p) {
    reply_kv_int(&c->reply, KEY_FORGOTTEN, p->bytes);
    buf_printf(&c->text, "Forgot ");
    buf_count(&c->text, p->bytes, "record", "records");
    buf_char(&c->text, '\n');
}
