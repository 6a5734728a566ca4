/* snapshot_prune.c -- snapshot_prune.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "history_ops.h"
#include "snapshot_shown.h"

static struct retention retention_asked_for(const struct call *c) {
    return (struct retention){.newest = call_int(c, "keep"),
                              .since_ms = days_ago_ms(call_int(c, "days")),
                              .bytes = call_int(c, "bytes"),
                              .asked = true};
}

/* Lists the snapshots that will go because of their number or age, or else those that stay but may
 * go because of the size of all, and counts them.  The latest does not. */
static size_t list_going(const struct retention *keep, const struct snapshot_list *list,
                         bool by_size, struct buf *out) {
    size_t n = 0;
    for (size_t i = 0; i < list->n; i++) {
        bool goes = snapshot_goes(keep, list->n - 1 - i, &list->all[i]);
        if (goes == by_size || (by_size && i + 1 == list->n))
            continue;
        n++;
        buf_str(out, by_size ? "  " : "Forgets ");
        add_snapshot_line(out, &list->all[i]);
    }
    return n;
}

/* How many must go because of the size of all shows only when room is given back. */
static void plan_forgetting(struct call *c, const struct snapshot_list *list, int64_t bytes,
                            struct plan *p) {
    struct retention keep = retention_asked_for(c);
    size_t going = list_going(&keep, list, false, &p->diff), more = 0;
    buf_printf(&p->diff, "and the oldest of the others while all take more than %lld bytes\n",
               (long long)keep.bytes);
    if (bytes > keep.bytes)
        more = list_going(&keep, list, true, &p->diff);
    buf_printf(&p->summary, "%s: forgets %s%zu of ", c->op->name, more > 0 ? "up to " : "",
               going + more);
    buf_count(&p->summary, (int64_t)list->n, "snapshot", "snapshots");
}

int plan_snapshot_prune(struct call *c, struct plan *p) {
    AUTO(snapshot_list_free) struct snapshot_list list = {0};
    p->held = calloc(1, sizeof(size_t)); /* how many were forgotten */
    p->drop = free;
    if (!p->held)
        return fail_memory(&c->work.error);
    int64_t bytes = 0;
    int code = snapshot_keeper(c)->list(&c->work, &list);
    code = code ? code : snapshot_keeper(c)->measure(&c->work, &bytes);
    if (!code)
        plan_forgetting(c, &list, bytes, p);
    return code;
}

int prepare_snapshot_prune(struct call *c, struct plan *p) {
    struct retention keep = retention_asked_for(c);
    return snapshot_keeper(c)->prune(&c->work, &keep, p->held);
}

void report_snapshot_prune(struct call *c, const struct plan *p) {
    const size_t *forgotten = p->held;
    reply_kv_int(&c->reply, KEY_FORGOTTEN, (int64_t)*forgotten);
    buf_str(&c->text, "Forgot ");
    buf_count(&c->text, (int64_t)*forgotten, "snapshot\n", "snapshots\n");
}
