/* dispatch.c -- finding operations in the table, and the one way to run them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dispatch.h"

#include "call.h"
#include "cleanup.h"
#include "clock.h"
#include "planned.h"
#include "table.h"
#include "table_rows.h"

#include <string.h>

/* -- the rows ---------------------------------------------------------------------------------- */

static const struct op_rows *const groups[] = {
    &look_rows, &read_rows, &forms_rows, &edit_rows, &write_rows, &snapshot_rows, &changes_rows};

size_t op_count(void) {
    size_t n = 0;
    for (size_t i = 0; i < COUNT(groups); i++)
        n += groups[i]->n;
    return n;
}

const struct op *op_at(size_t at) {
    for (size_t i = 0; i < COUNT(groups); i++) {
        if (at < groups[i]->n)
            return &groups[i]->rows[at];
        at -= groups[i]->n;
    }
    return NULL;
}

const struct op *op_find(const char *name) {
    for (size_t i = 0; i < COUNT(groups); i++)
        for (size_t k = 0; k < groups[i]->n; k++)
            if (strcmp(groups[i]->rows[k].name, name) == 0)
                return &groups[i]->rows[k];
    return NULL;
}

/* -- a call ------------------------------------------------------------------------------------ */

static int find_op(const json_t *request, const struct op **op, struct error *e) {
    const json_t *name = json_object_get(request, "op");
    if (!json_is_string(name))
        return fail(e, AQFS_INVALID_ARGUMENT, "op: expected the name of an operation");
    *op = op_find(json_string_value(name));
    /* A name with a NUL in it is longer than the name that strcmp found. */
    if (!*op || strlen((*op)->name) != json_string_length(name)) {
        char label[PATH_LABEL];
        return fail(e, AQFS_UNKNOWN_OPERATION, "There is no operation %s",
                    path_label(json_string_value(name), json_string_length(name), label));
    }
    return AQFS_OK;
}

/* A project root that was moved or replaced is not the project that the caller means: neither the
 * directory that was opened nor the one that has its name now is taken for it. */
static int check_root(const struct call *c, struct error *e) {
    const struct aqfs_workspace *ws = c->work.ws;
    AUTO(buf_free) struct buf now = {0};
    const struct root *root = &ws->roots[0];
    if (!ws->backend->has_moved || !ws->backend->durable || c->op->anywhere ||
        !ws->backend->has_moved(ws, &now))
        return AQFS_OK;
    char name[PATH_LABEL], place[PATH_LABEL];
    path_label(root->path, root->len, name);
    path_label(now.data ? now.data : "", now.len, place);
    (void)fail(e, AQFS_ROOT_MOVED, "The project root %s/ that was opened %s%.400s%s", name,
               now.len > 0 ? "is now " : "is gone, or another one has its name", place,
               now.len > 0 ? "/" : "");
    error_hint(e, "Open the workspace again (in Emacs, M-x agent-q-fs-reopen): it is then of what "
                  "has that name now.  For the directory that was moved, open that one");
    return AQFS_ROOT_MOVED;
}

static int decode_and_run(struct call *c) {
    struct budget *budget = &c->work.budget;
    c->values = calloc(c->op->param_count + 1, sizeof *c->values);
    if (!c->values)
        return fail_memory(&c->work.error);
    budget->cancelled = c->context ? c->context->cancelled : NULL;
    budget->deadline_ns = clock_now_ns() + c->work.ws->limits.time_ms * NS_PER_MS;
    atomic_store(&budget->steps_left, c->work.ws->limits.regex_steps);
    int code = args_decode(c->op->params, c->op->param_count, json_object_get(c->request, "args"),
                           c->values, &c->work.error);
    if (!code && (code = budget_check(budget)))
        code = fail_budget(&c->work.error, code);
    if (!code) {
        reply_map(&c->reply);
        code = c->op->plan ? planned_run(c) : c->op->run(c);
        if (!code && !c->op->plan)
            code = call_finish(c);
    }
    if (c->values) /* a plan that is kept may have taken them over */
        args_free(c->values, c->op->param_count);
    free(c->values);
    return code;
}

static aqfs_reply *finish_call(struct call *c, int code) {
    aqfs_reply *reply;
    if (code) {
        /* An error names the path as the caller gave it. */
        const json_t *path = json_object_get(json_object_get(c->request, "args"), "path");
        buf_free(&c->reply.out);
        const struct refusal *more = &c->refusal;
        const bool fits = more->code == code && !more->members.failed && !more->words.failed;
        reply = reply_from_error_with(c->reply.format, &c->work.error, json_string_value(path),
                                      json_string_length(path), fits ? &more->members : NULL,
                                      fits ? &more->words : NULL);
        aqfs_reply_free(c->answer);
    } else {
        reply = c->answer;
        reply->text = c->reply.out;
    }
    buf_free(&c->text);
    buf_free(&c->refusal.members);
    buf_free(&c->refusal.words);
    return reply;
}

static void emit_work_progress(void *call, int64_t done) {
    call_emit_progress(call, done);
}

static aqfs_reply *enter_and_run(struct call *c) {
    struct aqfs_workspace *ws = c->work.ws;
    c->work.progress = c->context && c->context->emit ? emit_work_progress : NULL;
    c->work.progress_data = c;
    c->work.budget.watcher = pthread_self();
    c->reply.format = c->context ? c->context->format : AQFS_SEXP;
    c->answer = calloc(1, sizeof *c->answer);
    int code = c->answer ? workspace_enter(ws, &c->work.error) : fail_memory(&c->work.error);
    if (!code) {
        code = find_op(c->request, &c->op, &c->work.error);
        code = code ? code : check_root(c, &c->work.error);
        code = code ? code : call_read_request(c);
        code = code ? code : decode_and_run(c);
        workspace_leave(ws);
    }
    return finish_call(c, code);
}

aqfs_reply *call_run(struct aqfs_workspace *ws, const json_t *request, const aqfs_context *context,
                     const struct watch *watch, enum text_place text) {
    struct call c = {.work.ws = ws,
                     .work.budget.watch = watch,
                     .request = request,
                     .context = context,
                     .text_apart = text == TEXT_APART || text == TEXT_APART_RESULTS_INSIDE};
    c.results_inside = text == TEXT_INSIDE_RESULTS_INSIDE || text == TEXT_APART_RESULTS_INSIDE;
    return enter_and_run(&c);
}

aqfs_reply *call_run_early(struct aqfs_workspace *ws, const json_t *request,
                           const aqfs_context *context, struct reply_listener *listener) {
    struct call c = {
        .work.ws = ws, .request = request, .context = context, .reply.listener = listener};
    return enter_and_run(&c);
}
