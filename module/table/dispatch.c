/* dispatch.c -- the one way in: check, run, finish.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dispatch.h"

#include "call.h"
#include "cleanup.h"
#include "planned.h"
#include "table.h"

#include <string.h>

#define NS_PER_MS 1000000

static void start_budget(struct call *c) {
    c->work.budget.cancelled = c->context ? c->context->cancelled : NULL;
    c->work.budget.deadline_ns = clock_now_ns() + c->work.ws->limits.time_ms * NS_PER_MS;
    atomic_store(&c->work.budget.steps_left, c->work.ws->limits.regex_steps);
}

static int run_operation(struct call *c) {
    int code = budget_check(&c->work.budget);
    if (code)
        return fail_budget(&c->work.error, code);
    reply_map(&c->reply);
    if (c->op->plan)
        return planned_run(c);
    code = c->op->run(c);
    return code ? code : call_finish(c);
}

static int read_words_flag(struct call *c, const json_t *request) {
    const json_t *words = json_object_get(request, "words");
    if (words && !json_is_null(words) && !json_is_boolean(words))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "words: expected true or false");
    c->words = json_is_true(words);
    c->words_apart = c->words_apart && c->words;
    return AQFS_OK;
}

static int find_op(const json_t *request, const struct op **op, struct error *e) {
    const json_t *name = json_object_get(request, "op");
    if (!json_is_string(name))
        return fail(e, AQFS_INVALID_ARGUMENT, "op: expected the name of an operation");
    *op = op_find(json_string_value(name));
    if (!*op || strlen((*op)->name) != json_string_length(name)) {
        char label[PATH_LABEL];
        return fail(e, AQFS_UNKNOWN_OPERATION, "There is no operation %s",
                    path_label(json_string_value(name), json_string_length(name), label));
    }
    return AQFS_OK;
}

/* The path as the caller gave it, for the error's `:path`. */
static struct text_ref given_path(const json_t *request) {
    const json_t *path = json_object_get(json_object_get(request, "args"), "path");
    return (struct text_ref){json_string_value(path), json_string_length(path)};
}

static aqfs_reply *finish_call(struct call *c, int code, const json_t *request) {
    aqfs_reply *reply;
    if (code) {
        struct text_ref path = given_path(request);
        buf_free(&c->reply.out);
        reply = reply_from_error_with(c->reply.format, &c->work.error, path.data, path.len,
                                      &c->refused_members);
        aqfs_reply_free(c->answer);
    } else {
        reply = c->answer;
        reply->text = c->reply.out;
    }
    buf_free(&c->text);
    buf_free(&c->refused_members);
    return reply;
}

static int decode_and_run(struct call *c, const json_t *request) {
    c->values = calloc(c->op->param_count + 1, sizeof *c->values);
    if (!c->values)
        return fail_memory(&c->work.error);
    start_budget(c);
    int code = args_decode(c->op->params, c->op->param_count, json_object_get(request, "args"),
                           c->values, &c->work.error);
    code = code ? code : run_operation(c);
    call_drop_values(c->op, c->values); /* those of a plan that was kept are the plan's now */
    return code;
}

static int check_and_run(struct call *c, const json_t *request) {
    int code = workspace_enter(c->work.ws, &c->work.error);
    if (code)
        return code;
    code = find_op(request, &c->op, &c->work.error);
    code = code ? code : planned_read_request(c, request);
    code = code ? code : read_words_flag(c, request);
    code = code ? code : decode_and_run(c, request);
    workspace_leave(c->work.ws);
    return code;
}

aqfs_reply *call_run(struct aqfs_workspace *ws, const json_t *request, const aqfs_context *context,
                     const struct watch *watch, enum call_words words) {
    struct call c = {
        .work.ws = ws, .request = request, .context = context, .words_apart = words == WORDS_APART};
    c.work.budget.watch = watch;
    c.work.budget.watcher = pthread_self();
    c.reply.format = context ? context->format : AQFS_SEXP;
    c.answer = calloc(1, sizeof *c.answer);
    int code = c.answer ? check_and_run(&c, request) : fail_memory(&c.work.error);
    return finish_call(&c, code, request);
}
