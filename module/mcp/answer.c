/* answer.c -- the parts that answers to a client have in common.
 *
 * SPDX-License-Identifier: MIT
 */
#include "serving.h"

#include <string.h>

void server_send(struct server *s, struct reply *r) {
    outbox_put(&s->out, &r->out);
}

void send_unless_cancelled(struct server *s, const struct flight *f, struct reply *r) {
    if (flight_is_cancelled(f))
        buf_free(&r->out);
    else
        server_send(s, r);
}

void server_refuse(struct server *s, const struct flight *f, const struct fault *fault,
                   const char *data) {
    struct reply r;
    if (flight_is_cancelled(f))
        return;
    rpc_error(&r, f->message.id, fault, data);
    server_send(s, &r);
}

void answer_implementation(struct reply *r, const char *key) {
    reply_key(r, key);
    reply_map(r);
    reply_kv_cstring(r, "name", SERVER_NAME);
    reply_kv_cstring(r, "title", "Files of a project");
    reply_kv_cstring(r, "version", AQFS_VERSION);
    reply_end_map(r);
}

void answer_begin(struct reply *r, const json_t *id, const struct speaker *by, const char *type,
                  const char *data) {
    rpc_begin(r);
    rpc_id(r, id);
    reply_key(r, "result");
    reply_map(r);
    if (by->era == ERA_MODERN)
        reply_kv_cstring(r, "resultType", type);
    if (by->era == ERA_LEGACY && !data)
        return;
    reply_key(r, "_meta");
    reply_map(r);
    if (by->era == ERA_MODERN)
        answer_implementation(r, META("serverInfo"));
    if (data) {
        reply_key(r, "aqfs/error");
        reply_raw(r, data, strlen(data));
    }
    reply_end_map(r);
}

void answer_end(struct reply *r) {
    reply_end_map(r);
    rpc_end(r);
}

void answer_words(struct reply *r, const char *text, size_t n, bool failed) {
    reply_key(r, "content");
    reply_list(r);
    reply_map(r);
    reply_kv_cstring(r, "type", "text");
    reply_kv_string(r, "text", text, n);
    reply_end_map(r);
    reply_end_list(r);
    reply_kv_bool(r, "isError", failed);
}

void answer_cache_hints(struct reply *r, const struct speaker *by, int ttl_ms, const char *scope) {
    if (by->era != ERA_MODERN)
        return;
    reply_kv_int(r, "ttlMs", ttl_ms);
    reply_kv_cstring(r, "cacheScope", scope);
}

const json_t *answer_progress_token(const struct flight *f) {
    const json_t *meta = json_object_get(f->message.params, "_meta");
    const json_t *token = json_object_get(meta, "progressToken");
    return json_is_string(token) || json_is_integer(token) ? token : NULL;
}

void answer_progress(struct server *s, struct flight *f, int64_t done) {
    struct progress *p = &f->progress;
    const json_t *token = answer_progress_token(f);
    struct reply r;
    if (done < p->last) /* another part of the work */
        p->before = p->told;
    p->last = done;
    if (!token || p->before + done <= p->told) /* it must increase */
        return;
    p->told = p->before + done;
    rpc_begin_method(&r, "notifications/progress", NULL);
    rpc_value(&r, "progressToken", token);
    reply_kv_int(&r, "progress", p->told);
    rpc_end_method(&r);
    server_send(s, &r);
}
