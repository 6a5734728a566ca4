/* call.c -- the one way in: check, run, finish. */
#include "call.h"

#include "cleanup.h"
#include "planned.h"
#include "utf8.h"

#include <string.h>

struct aqfs_reply {
    struct buf text;
    struct buf words; /* where they are not in the text; else without data */
    enum code code;
};

#define NS_PER_MS 1000000

const char *aqfs_reply_text(const aqfs_reply *reply, size_t *length) {
    if (length)
        *length = reply->text.len;
    return reply->text.data;
}

const char *aqfs_reply_error(const aqfs_reply *reply) {
    return reply->code ? code_name(reply->code) : NULL;
}

const char *reply_words(const aqfs_reply *reply, size_t *n) {
    *n = reply->words.len;
    return reply->words.data;
}

void aqfs_reply_free(aqfs_reply *reply) {
    if (!reply)
        return;
    buf_free(&reply->text);
    buf_free(&reply->words);
    free(reply);
}

aqfs_reply *reply_finish(struct reply *r) {
    aqfs_reply *reply = r->out.failed ? NULL : calloc(1, sizeof *reply);
    if (!reply) {
        struct error e;
        int format = r->format;
        buf_free(&r->out);
        fail_memory(&e);
        return reply_from_error(format, &e, NULL, 0);
    }
    reply->text = r->out;
    r->out = (struct buf){0};
    return reply;
}

static void write_error(struct reply *r, const struct error *e, const char *path, size_t path_n,
                        const struct buf *members) {
    reply_map(r);
    reply_kv_keyword(r, "error", code_name(e->code));
    reply_kv_cstring(r, "message", e->message);
    reply_key(r, "path");
    if (path)
        reply_string(r, path, path_n);
    else
        reply_null(r);
    reply_kv_cstring(r, "hint", e->hint[0] ? e->hint : NULL);
    struct buf text = {0};
    buf_printf(&text, "Error: %s", e->message);
    if (e->hint[0])
        buf_printf(&text, "\n%s", e->hint);
    reply_kv_string(r, "text", text.data ? text.data : "Error", text.data ? text.len : 5);
    buf_free(&text);
    if (members && members->len > 0)
        reply_raw(r, members->data, members->len);
    reply_end_map(r);
}

aqfs_reply *reply_from_error(int format, const struct error *e, const char *path, size_t path_n) {
    return reply_from_error_with(format, e, path, path_n, NULL);
}

aqfs_reply *reply_from_error_with(int format, const struct error *e, const char *path,
                                  size_t path_n, const struct buf *members) {
    struct reply r = {.format = format};
    write_error(&r, e, path, path_n, members);
    aqfs_reply *reply = r.out.failed ? NULL : calloc(1, sizeof *reply);
    if (!reply) {
        buf_free(&r.out);
        return NULL;
    }
    reply->text = r.out;
    reply->code = e->code;
    return reply;
}

const struct value *call_arg(const struct call *c, const char *name) {
    for (size_t i = 0; i < c->op->param_count; i++)
        if (strcmp(c->op->params[i].name, name) == 0)
            return &c->values[i];
    return NULL; /* unreachable: an operation asks only for its own row's names */
}

int64_t call_int(const struct call *c, const char *name) {
    return call_arg(c, name)->integer;
}

bool call_bool(const struct call *c, const char *name) {
    return call_arg(c, name)->boolean;
}

struct text_ref call_text(const struct call *c, const char *name) {
    return call_arg(c, name)->text;
}

bool call_choice_is(const struct call *c, const char *name, const char *word) {
    struct text_ref t = call_text(c, name);
    return t.len == strlen(word) && memcmp(t.data, word, t.len) == 0;
}

bool call_streams(const struct call *c) {
    return c->context && c->context->emit;
}

static void emit(struct call *c, const struct reply *r) {
    if (r->out.failed || c->context->emit(c->context->data, r->out.data, r->out.len) != 0)
        atomic_store(&c->budget.stop, true);
}

void call_emit_items(struct call *c, const struct buf *items) {
    if (!call_streams(c) || items->len == 0)
        return;
    struct reply r = {.format = c->reply.format};
    reply_map(&r);
    reply_key(&r, "items");
    reply_list(&r);
    reply_raw(&r, items->data, items->len);
    reply_end_list(&r);
    reply_end_map(&r);
    emit(c, &r);
    buf_free(&r.out);
}

void call_emit_progress(struct call *c, int64_t done) {
    if (!call_streams(c))
        return;
    int64_t now = clock_now_ns();
    if (now - c->progress_ns < 100 * NS_PER_MS)
        return;
    c->progress_ns = now;
    struct reply r = {.format = c->reply.format};
    reply_map(&r);
    reply_kv_int(&r, "progress", done);
    reply_end_map(&r);
    emit(c, &r);
    buf_free(&r.out);
}

/* The words for a model are bounded apart from the data: nobody reads megabytes. */
static void finish_text(struct call *c) {
    size_t most = (size_t)c->ws->limits.text_bytes;
    if (c->text.len > most) {
        size_t cut = utf8_cut(c->text.data, c->text.len, most);
        c->text.len = cut;
        buf_str(&c->text, "\n[truncated]");
    }
    if (c->words_apart && c->text.len > 0 && utf8_is_valid(c->text.data, c->text.len)) {
        c->answer->words = c->text;
        c->text = (struct buf){0};
    } else {
        reply_kv_string(&c->reply, "text", c->text.len ? c->text.data : "", c->text.len);
    }
}

int call_finish(struct call *c) {
    finish_text(c);
    reply_end_map(&c->reply);
    if (c->reply.out.failed || c->text.failed || c->answer->words.failed)
        return fail_memory(&c->error);
    return AQFS_OK;
}

static void start_budget(struct call *c) {
    c->budget.cancelled = c->context ? c->context->cancelled : NULL;
    c->budget.deadline_ns = clock_now_ns() + c->ws->limits.time_ms * NS_PER_MS;
    atomic_store(&c->budget.steps_left, c->ws->limits.regex_steps);
}

static int run(struct call *c) {
    int code = budget_check(&c->budget);
    if (code)
        return fail_budget(&c->error, code);
    reply_map(&c->reply);
    if (c->op->plan)
        return planned_run(c);
    code = c->op->run(c);
    return code ? code : call_finish(c);
}

static int read_words(struct call *c, const json_t *request) {
    const json_t *words = json_object_get(request, "words");
    if (words && !json_is_null(words) && !json_is_boolean(words))
        return fail(&c->error, AQFS_INVALID_ARGUMENT, "words: expected true or false");
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
        reply = reply_from_error_with(c->reply.format, &c->error, path.data, path.len,
                                      &c->preview_members);
        aqfs_reply_free(c->answer);
    } else {
        reply = c->answer;
        reply->text = c->reply.out;
    }
    buf_free(&c->text);
    buf_free(&c->preview_members);
    return reply;
}

static int check_and_run(struct call *c, const json_t *request) {
    int code = workspace_enter(c->ws, &c->error);
    if (code)
        return code;
    code = find_op(request, &c->op, &c->error);
    code = code ? code : planned_read_request(c, request);
    code = code ? code : read_words(c, request);
    if (!code) {
        AUTO_FREE struct value *values = calloc(c->op->param_count + 1, sizeof *values);
        if (!values) {
            code = fail_memory(&c->error);
        } else {
            c->values = values;
            start_budget(c);
            code = args_decode(c->op->params, c->op->param_count, json_object_get(request, "args"),
                               values, &c->error);
            code = code ? code : run(c);
            args_free(values, c->op->param_count);
        }
    }
    workspace_leave(c->ws);
    return code;
}

aqfs_reply *call_run(struct aqfs_workspace *ws, const json_t *request, const aqfs_context *context,
                     const struct watch *watch, enum call_words words) {
    struct call c = {.ws = ws, .context = context, .words_apart = words == WORDS_APART};
    c.budget.watch = watch;
    c.budget.watcher = pthread_self();
    c.reply.format = context ? context->format : AQFS_SEXP;
    c.answer = calloc(1, sizeof *c.answer);
    int code = c.answer ? check_and_run(&c, request) : fail_memory(&c.error);
    return finish_call(&c, code, request);
}
