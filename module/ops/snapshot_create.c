/* snapshot_op.c -- snapshot_create, snapshot_list and snapshot_prune.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "ops.h"
#include "snapshot_shown.h"

#include <string.h>
#include <time.h>

#define TAG_BYTES 200
#define NS_PER_MS 1000000
#define MS_PER_DAY (INT64_C(24) * 60 * 60 * 1000)

const struct keeper *snapshot_keeper(const struct call *c) {
    return c->work.ws->keeper;
}

/* -- what is shown of one -----------------------------------------------------------------------
 */

static void reply_where(struct call *c, const char *key, const char *path) {
    if (path)
        reply_kv_path(&c->reply, key, path, strlen(path));
    else
        reply_kv_cstring(&c->reply, key, NULL);
}

void snapshot_reply(struct call *c, const struct snapshot *s) {
    reply_kv_cstring(&c->reply, "id", s->id);
    reply_kv_time(&c->reply, "created-at", s->created_ms * NS_PER_MS);
    reply_kv_cstring(&c->reply, "commit-ref", s->commit_ref);
    reply_where(c, "root-path", s->root_path);
    reply_where(c, "git-dir", s->git_dir);
    reply_where(c, "tag", s->tag);
}

/* A model is not shown where they are kept. */
static void add_snapshot_line(struct buf *out, const struct snapshot *s) {
    char when[TIME_SHOWN];
    time_show(s->created_ms * NS_PER_MS, when);
    buf_printf(out, "%s  %s", s->id, when);
    if (s->tag) {
        buf_str(out, "  ");
        path_show_safe(out, s->tag, strlen(s->tag));
    }
    buf_char(out, '\n');
}

/* -- snapshot_create ----------------------------------------------------------------------------
 */

/* What is taken when the plan is carried out, and told of then. */
struct taking {
    struct snapshot snapshot;
    struct snapshot_report report;
};

static void drop_taking(void *held) {
    struct taking *t = held;
    snapshot_free(&t->snapshot);
    snapshot_report_free(&t->report);
    free(t);
}

static int check_tag(struct call *c, struct text_ref tag) {
    for (size_t i = 0; i < tag.len; i++)
        if ((unsigned char)tag.data[i] < ' ' || tag.data[i] == 0x7F)
            return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                        "tag: expected one line, without control characters");
    if (tag.len > TAG_BYTES)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "tag: expected at most %d bytes",
                    TAG_BYTES);
    return AQFS_OK;
}

int plan_snapshot_create(struct call *c, struct plan *p) {
    struct taking *t = calloc(1, sizeof *t);
    if (!t)
        return fail_memory(&c->work.error);
    p->held = t;
    p->drop = drop_taking;
    buf_printf(&p->summary, "%s: keeps the project as it is", c->op->name);
    return check_tag(c, call_text(c, "tag"));
}

static int64_t days_ago_ms(int64_t days) {
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 - days * MS_PER_DAY;
}

int snapshot_take(struct call *c, struct text_ref tag, struct item_changes *compared,
                  const char *spared, struct snapshot *out, struct snapshot_report *report) {
    const struct limits *limits = &c->work.ws->limits;
    const struct keeper *keeper = snapshot_keeper(c);
    size_t forgotten;
    int code = keeper->take(&c->work, tag, compared, out, report);
    if (code)
        return code;
    /* It is there, whether or not others could be forgotten: that is tried again the next time. */
    const struct error before = c->work.error;
    struct retention keep = {.newest = limits->snapshots,
                             .since_ms = days_ago_ms(limits->snapshot_days),
                             .bytes = limits->snapshot_bytes,
                             .spared = spared};
    if (keeper->prune(&c->work, &keep, &forgotten))
        c->work.error = before;
    return AQFS_OK;
}

int prepare_snapshot_create(struct call *c, struct plan *p) {
    struct taking *t = p->held;
    return snapshot_take(c, call_text(c, "tag"), NULL, NULL, &t->snapshot, &t->report);
}

static void reply_left_out(struct call *c, const struct snapshot_report *report) {
    reply_key(&c->reply, "left-out");
    reply_list(&c->reply);
    for (size_t i = 0; i < report->left_out_n && i < LEFT_OUT_SHOWN; i++) {
        const struct left_out *left = &report->left_out[i];
        if (!left->path)
            continue;
        reply_map(&c->reply);
        reply_kv_path(&c->reply, "path", left->path, strlen(left->path));
        reply_kv_keyword(&c->reply, "why", left->why);
        reply_end_map(&c->reply);
        buf_printf(&c->text, "Left out (%s): ", left->why);
        path_show_safe(&c->text, left->path, strlen(left->path));
        buf_char(&c->text, '\n');
    }
    reply_end_list(&c->reply);
    reply_kv_int(&c->reply, "left-out-total", (int64_t)report->left_out_n);
}

void report_snapshot_create(struct call *c, const struct plan *p) {
    const struct taking *t = p->held;
    snapshot_reply(c, &t->snapshot);
    reply_kv_int(&c->reply, "files", t->report.files);
    reply_kv_int(&c->reply, "ignored", t->report.ignored);
    reply_kv_int(&c->reply, "changing", t->report.changing);
    buf_str(&c->text, "Snapshot ");
    add_snapshot_line(&c->text, &t->snapshot);
    buf_count(&c->text, t->report.files, "file", "files");
    if (t->report.ignored > 0)
        buf_printf(&c->text, "; %lld ignored", (long long)t->report.ignored);
    if (t->report.changing > 0)
        buf_printf(&c->text, "; %lld written to while they were read",
                   (long long)t->report.changing);
    buf_char(&c->text, '\n');
    reply_left_out(c, &t->report);
}

/* -- snapshot_list ------------------------------------------------------------------------------
 */

int op_snapshot_list(struct call *c) {
    AUTO(snapshot_list_free) struct snapshot_list list = {0};
    int code = snapshot_keeper(c)->list(&c->work, &list);
    if (code)
        return code;
    reply_key(&c->reply, "snapshots");
    reply_list(&c->reply);
    for (size_t i = list.n; i-- > 0;) { /* the newest first */
        reply_map(&c->reply);
        snapshot_reply(c, &list.all[i]);
        reply_end_map(&c->reply);
        add_snapshot_line(&c->text, &list.all[i]);
    }
    reply_end_list(&c->reply);
    reply_kv_int(&c->reply, "total", (int64_t)list.n);
    reply_kv_int(&c->reply, "damaged", (int64_t)list.damaged);
    if (list.n == 0)
        buf_str(&c->text, "There are no snapshots\n");
    if (list.damaged > 0)
        buf_printf(&c->text, "[%zu more cannot be read]\n", list.damaged);
    return AQFS_OK;
}

/* -- snapshot_prune -----------------------------------------------------------------------------
 */

static struct retention retention_asked_for(const struct call *c) {
    return (struct retention){.newest = call_int(c, "keep"),
                              .since_ms = days_ago_ms(call_int(c, "days")),
                              .bytes = call_int(c, "bytes"),
                              .own = true};
}

/* Which ones go for their number or age.  What goes for its size, only giving back room tells. */
static void plan_forgetting(struct call *c, const struct snapshot_list *list, struct plan *p) {
    struct retention keep = retention_asked_for(c);
    size_t going = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (!snapshot_goes(&keep, list->n - 1 - i, &list->all[i]))
            continue;
        going++;
        buf_str(&p->diff, "Forgets ");
        add_snapshot_line(&p->diff, &list->all[i]);
    }
    buf_printf(&p->diff, "and the oldest of the others while all take more than %lld bytes\n",
               (long long)keep.bytes);
    buf_printf(&p->summary, "%s: forgets %zu of ", c->op->name, going);
    buf_count(&p->summary, (int64_t)list->n, "snapshot", "snapshots");
}

int plan_snapshot_prune(struct call *c, struct plan *p) {
    AUTO(snapshot_list_free) struct snapshot_list list = {0};
    p->held = calloc(1, sizeof(size_t)); /* how many were forgotten */
    p->drop = free;
    if (!p->held)
        return fail_memory(&c->work.error);
    int code = snapshot_keeper(c)->list(&c->work, &list);
    if (!code)
        plan_forgetting(c, &list, p);
    return code;
}

int prepare_snapshot_prune(struct call *c, struct plan *p) {
    struct retention keep = retention_asked_for(c);
    return snapshot_keeper(c)->prune(&c->work, &keep, p->held);
}

void report_snapshot_prune(struct call *c, const struct plan *p) {
    const size_t *forgotten = p->held;
    reply_kv_int(&c->reply, "forgotten", (int64_t)*forgotten);
    buf_str(&c->text, "Forgot ");
    buf_count(&c->text, (int64_t)*forgotten, "snapshot\n", "snapshots\n");
}
