/* snapshot_create.c -- snapshot_create.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "history_ops.h"
#include "snapshot_shown.h"

#define TAG_BYTES 200

/* Kept with the plan; filled when the plan is done, for the report. */
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

int prepare_snapshot_create(struct call *c, struct plan *p) {
    struct taking *t = p->held;
    return snapshot_take(c, call_text(c, "tag"), NULL, NULL, &t->snapshot, &t->report);
}

static void reply_left_out(struct call *c, const struct snapshot_report *report) {
    reply_key(&c->reply, KEY_LEFT_OUT);
    reply_list(&c->reply);
    for (size_t i = 0; i < report->left_out_n && i < LEFT_OUT_SHOWN; i++) {
        const struct left_out *left = &report->left_out[i];
        if (!left->path)
            continue;
        reply_map(&c->reply);
        reply_kv_path(&c->reply, KEY_PATH, left->path, strlen(left->path));
        reply_kv_keyword(&c->reply, KEY_WHY, left->why);
        reply_end_map(&c->reply);
        buf_printf(&c->text, "Left out (%s): ", left->why);
        path_show_safe(&c->text, left->path, strlen(left->path));
        buf_char(&c->text, '\n');
    }
    reply_end_list(&c->reply);
    reply_kv_int(&c->reply, KEY_LEFT_OUT_TOTAL, (int64_t)report->left_out_n);
}

void report_snapshot_create(struct call *c, const struct plan *p) {
    const struct taking *t = p->held;
    snapshot_reply(c, &t->snapshot);
    reply_kv_int(&c->reply, KEY_FILES, t->report.files);
    reply_kv_int(&c->reply, KEY_IGNORED, t->report.ignored);
    reply_kv_int(&c->reply, KEY_CHANGING, t->report.changing);
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
