/* answer.c -- the answer of a call: see answer.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "answer.h"

#include <stdlib.h>

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
    reply_kv_keyword(r, KEY_ERROR, code_name(e->code));
    reply_kv_cstring(r, KEY_MESSAGE, e->message);
    reply_key(r, KEY_PATH);
    if (path)
        reply_string(r, path, path_n);
    else
        reply_null(r);
    reply_kv_cstring(r, KEY_HINT, e->hint[0] ? e->hint : NULL);
    struct buf text = {0};
    buf_printf(&text, "Error: %s", e->message);
    if (e->hint[0])
        buf_printf(&text, "\n%s", e->hint);
    reply_kv_string(r, KEY_TEXT, text.data ? text.data : "Error", text.data ? text.len : 5);
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
