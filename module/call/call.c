/* call.c -- what a running operation asks of its call.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"

#include "cleanup.h"
#include "utf8.h"

#include <string.h>

#define NS_PER_MS 1000000

void call_drop_values(const struct op *op, struct value *values) {
    if (values)
        args_free(values, op->param_count);
    free(values);
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
        atomic_store(&c->work.budget.stop, true);
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
static void finish_call_text(struct call *c) {
    size_t most = (size_t)c->work.ws->limits.text_bytes;
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
    finish_call_text(c);
    reply_end_map(&c->reply);
    if (c->reply.out.failed || c->text.failed || c->answer->words.failed)
        return fail_memory(&c->work.error);
    return AQFS_OK;
}
