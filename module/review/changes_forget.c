/* changes_forget.c -- changes_forget.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "review.h"
#include "review_ops.h"
#include "review_parts.h"

#include <string.h>

static int check_forgotten(struct call *c, const struct value *calls) {
    for (size_t i = 0; i < calls->count; i++)
        if (!kept_is_id(calls->list[i].data, calls->list[i].len))
            return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                        "calls: expected ids as changes_list shows them");
    return AQFS_OK;
}

/* Tells OUT which call the record ID is of; the id alone of one that is not there (any more). */
static int tell_kept_call(struct call *c, const char *id, struct buf *out) {
    AUTO(kept_close) struct kept_call call;
    struct error before = c->work.error;
    int code = kept_open(&c->work, id, &call);
    if (code == AQFS_NOT_FOUND) {
        c->work.error = before;
        buf_printf(out, "%s\n", id);
        return AQFS_OK;
    }
    if (!code)
        review_call_line(c->work.ws, &call, out);
    return code ? code : review_check_budget(c);
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
    for (size_t i = 0; !code && i < n; i++) {
        char id[KEPT_ID] = "";
        memcpy(id, calls->known ? calls->list[i].data : ids.all[i], KEPT_ID - 1);
        buf_str(&p->diff, "Forgets ");
        code = tell_kept_call(c, id, &p->diff);
    }
    p->bytes = (int64_t)n;
    if (!code && (p->diff.failed || p->summary.failed))
        code = fail_memory(&c->work.error);
    return code;
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
