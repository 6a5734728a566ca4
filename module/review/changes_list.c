/* changes_list.c -- changes_list.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "clock.h"
#include "review.h"
#include "review_ops.h"
#include "time_show.h"

#include <string.h>

/* The reply names this many files of a call. */
#define NAMED_MOST 100

static bool is_hidden(const struct aqfs_workspace *ws, const struct root *root, const char *path) {
    return path && (!root || workspace_hides(ws, root, path, strlen(path)));
}

static bool is_hidden_step(const struct aqfs_workspace *ws, const struct kept_step *step) {
    return is_hidden(ws, step->root, step->path) || is_hidden(ws, step->from_root, step->from);
}

static void reply_shown(struct call *c, const char *key, const struct root *root,
                        const char *path) {
    AUTO(buf_free) struct buf shown = {0};
    place_show(c->work.ws, root, path, strlen(path), &shown);
    c->reply.out.failed = c->reply.out.failed || shown.failed;
    reply_kv_path(&c->reply, key, shown.data ? shown.data : "", shown.len);
}

static void reply_steps(struct call *c, const struct kept_call *call) {
    size_t n = 0;
    reply_key(&c->reply, KEY_FILES);
    reply_list(&c->reply);
    for (size_t i = 0; i < call->n; i++) {
        const struct kept_step *step = &call->steps[i];
        if (is_hidden_step(c->work.ws, step) || n++ >= NAMED_MOST)
            continue;
        reply_map(&c->reply);
        reply_shown(c, KEY_PATH, step->root, step->path);
        reply_kv_keyword(&c->reply, KEY_ACTION, kept_action_name(step->action));
        if (step->from)
            reply_shown(c, KEY_FROM, step->from_root, step->from);
        reply_end_map(&c->reply);
    }
    reply_end_list(&c->reply);
    reply_kv_int(&c->reply, KEY_TOTAL, (int64_t)n);
}

static bool names_hidden(const struct aqfs_workspace *ws, const struct kept_call *call) {
    for (size_t i = 0; i < call->n; i++)
        if (is_hidden_step(ws, &call->steps[i]))
            return true;
    return false;
}

/* The summary names all files. */
static const char *summary_shown(const struct aqfs_workspace *ws, const struct kept_call *call) {
    return names_hidden(ws, call) ? call->operation : call->summary;
}

void review_call_line(const struct aqfs_workspace *ws, const struct kept_call *call,
                      struct buf *out) {
    const char *summary = summary_shown(ws, call);
    char when[TIME_SHOWN];
    time_show(call->time_ms * NS_PER_MS, when);
    buf_printf(out, "%s  %s  %s  ", call->id, when, origin_names[call->origin]);
    path_show_safe(out, summary, strlen(summary));
    buf_char(out, '\n');
}

static void reply_call(struct call *c, const struct kept_call *call) {
    const char *summary = summary_shown(c->work.ws, call);
    reply_map(&c->reply);
    reply_kv_cstring(&c->reply, KEY_ID, call->id);
    reply_kv_time(&c->reply, KEY_CREATED_AT, call->time_ms * NS_PER_MS);
    reply_kv_cstring(&c->reply, KEY_OPERATION, call->operation);
    reply_kv_keyword(&c->reply, KEY_ORIGIN, origin_names[call->origin]);
    reply_kv_string(&c->reply, KEY_SUMMARY, summary, strlen(summary));
    reply_kv_string(&c->reply, KEY_CALLER, call->caller, strlen(call->caller));
    reply_kv_string(&c->reply, KEY_CALL, call->call, strlen(call->call));
    reply_kv_int(&c->reply, KEY_SIZE, call->size);
    reply_steps(c, call);
    reply_end_map(&c->reply);
    review_call_line(c->work.ws, call, &c->text);
}

int op_changes_list(struct call *c) {
    AUTO(kept_ids_free) struct kept_ids ids = {0};
    int64_t most = call_int(c, "limit"), shown = 0, bytes = 0, unreadable = 0;
    int code = kept_list(&c->work, &ids);
    if (code)
        return code;
    reply_key(&c->reply, KEY_CALLS);
    reply_list(&c->reply);
    for (size_t i = ids.n; !code && i-- > 0 && shown < most;) {
        AUTO(kept_close) struct kept_call call;
        struct error before = c->work.error;
        code = kept_open(&c->work, ids.all[i], &call);
        if (code == AQFS_NOT_FOUND) {
            c->work.error = before;
            code = AQFS_OK;
            unreadable++;
            continue;
        }
        if (!code) {
            reply_call(c, &call);
            shown++;
            bytes += call.size;
        }
        if (!code && (code = budget_check(&c->work.budget)))
            code = fail_budget(&c->work.error, code);
    }
    reply_end_list(&c->reply);
    reply_kv_int(&c->reply, KEY_TOTAL, (int64_t)ids.n - unreadable);
    reply_kv_int(&c->reply, KEY_BYTES, bytes);
    if (shown == 0)
        buf_str(&c->text, "No change is kept\n");
    return code;
}
