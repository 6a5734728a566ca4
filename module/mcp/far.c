/* far.c -- requests that a running Emacs serves: frames of calls, and their ends (link.h).
 *
 * SPDX-License-Identifier: MIT
 */
#include "serving.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SECONDS_TO_CONNECT 10

/* -- the connection ---------------------------------------------------------------------------- */

json_t *far_hello(const struct settings *settings) {
    char directory[4096];
    const char *root = json_string_value(json_object_get(settings->options, "root"));
    if (!root && !getcwd(directory, sizeof directory))
        return NULL;
    return json_pack("{s:i, s:s, s:s, s:O, s:s, s:b}", "hello", LINK_PROTOCOL, "version",
                     AQFS_VERSION, "directory", root ? root : directory, "options",
                     settings->options, "tools", settings->tools, "data", !settings->text_only);
}

/* The list of tools is TOOLS from now on; true if it was another one. */
static bool set_far_tools(struct server *s, const json_t *tools) {
    struct buf list = {0};
    char *text = json_dumps(tools, JSON_COMPACT);
    buf_str(&list, text ? text : "");
    free(text);
    bool same = list.len == s->far_tools.len &&
                (list.len == 0 || memcmp(list.data, s->far_tools.data, list.len) == 0);
    if (same || list.failed) {
        buf_free(&list);
        return false;
    }
    buf_free(&s->far_tools);
    s->far_tools = list;
    return true;
}

static void tell_new_list(struct server *s) {
    struct reply r;
    rpc_begin_method(&r, "notifications/tools/list_changed", NULL);
    rpc_end_method(&r);
    server_send(s, &r);
}

const char *far_welcome(void *server, const json_t *frame) {
    struct server *s = server;
    const char *root = json_string_value(json_object_get(frame, "root"));
    const json_t *tools = json_object_get(frame, "tools");
    if (!root || !json_is_array(tools))
        return "Emacs has another version of agent-q-fs: restart it, or this server";
    pthread_mutex_lock(&s->lock);
    bool other = s->root[0] && strcmp(s->root, root) != 0;
    if (!s->root[0] && root[0]) {
        free(s->root);
        s->root = strdup(root);
    }
    if (!other && set_far_tools(s, tools)) {
        subscriptions_tell_tools(s);
        if (s->initialized && s->listed)
            tell_new_list(s);
    }
    bool memory = s->root != NULL;
    subscriptions_look_again(s);
    pthread_mutex_unlock(&s->lock);
    if (other)
        return "The project's root has moved: start this server again";
    return memory ? NULL : "There is no memory";
}

void far_take(void *server, json_t *frame) {
    const json_t *number = json_object_get(frame, "end");
    const json_t *far = json_object_get(frame, "progress");
    if (json_is_integer(number)) {
        flights_arrive(server, (unsigned long)json_integer_value(number), frame);
        return;
    }
    if (json_is_integer(far))
        flights_progress(server, (unsigned long)json_integer_value(far),
                         json_integer_value(json_object_get(frame, "done")));
    json_decref(frame);
}

void far_lost(void *server) {
    flights_lose(server, "Error: the connection to Emacs was lost, because it was left or "
                         "agent-q-fs-mcp-mode was switched off.  Whether this call was made is not "
                         "known: look before you make it again");
}

/* -- frames ------------------------------------------------------------------------------------ */

struct far_call {
    const char *tool;
    size_t tool_n;
    const json_t *args;
    const char *client;
    bool quiet, progress;
};

static void write_call(struct reply *r, unsigned long number, const void *data) {
    const struct far_call *call = data;
    reply_map(r);
    reply_kv_int(r, "call", (int64_t)number);
    reply_kv_string(r, "tool", call->tool, call->tool_n);
    if (call->args)
        rpc_value(r, "arguments", call->args);
    reply_kv_string(r, "client", call->client, strlen(call->client));
    reply_kv_bool(r, "quiet", call->quiet);
    reply_kv_bool(r, "progress", call->progress);
    reply_end_map(r);
}

bool far_wait(struct server *s, struct error *e) {
    return !s->link || link_wait(s->link, SECONDS_TO_CONNECT, e);
}

/* -- tools/call -------------------------------------------------------------------------------- */

static void refuse_far(struct server *s, const struct flight *f, const char *words) {
    struct fault fault;
    fault_set(&fault, RPC_INVALID_PARAMS, "%s", words);
    server_refuse(s, f, &fault, NULL);
}

static void answer_error(struct server *s, const struct flight *f, const struct error *e) {
    struct reply r;
    struct buf words = {0};
    char data[80];
    (void)snprintf(data, sizeof data, "{\"error\": \"%s\"}", code_name(e->code));
    buf_printf(&words, "Error: %s", e->message);
    answer_begin(&r, f->message.id, &f->by, "complete", data);
    answer_words(&r, words.data ? words.data : "", words.len, true);
    answer_end(&r);
    buf_free(&words);
    send_unless_cancelled(s, f, &r);
}

/* Answers F with what Emacs has answered. */
static void finish_far(struct server *s, const struct flight *f) {
    const json_t *answer = f->answer.all, *text = json_object_get(answer, "text");
    const json_t *data = json_object_get(answer, "data"), *error = json_object_get(answer, "error");
    const char *unknown = json_string_value(json_object_get(answer, "unknown"));
    struct reply r;
    if (unknown) {
        refuse_far(s, f, unknown);
        return;
    }
    json_t *problem = error ? json_pack("{s:O}", "error", error) : NULL;
    char *printed = problem ? json_dumps(problem, JSON_COMPACT) : NULL;
    answer_begin(&r, f->message.id, &f->by, "complete", printed);
    answer_words(&r, json_is_string(text) ? json_string_value(text) : "", json_string_length(text),
                 error != NULL);
    if (!error && json_is_object(data))
        rpc_value(&r, "structuredContent", data);
    answer_end(&r);
    free(printed);
    json_decref(problem);
    send_unless_cancelled(s, f, &r);
}

static bool begin_far_call(struct server *s, struct flight *f) {
    const json_t *name = json_object_get(f->message.params, "name");
    const json_t *args = json_object_get(f->message.params, "arguments");
    struct error e;
    if (!json_is_string(name) || (args && !json_is_object(args))) {
        refuse_far(s, f,
                   json_is_string(name) ? "tools/call: expected arguments, an object"
                                        : "tools/call: expected name, a string");
        return true;
    }
    const struct far_call call = {
        json_string_value(name),         json_string_length(name), args, f->by.client, false,
        answer_progress_token(f) != NULL};
    if (far_wait(s, &e) && flight_send(s, f, write_call, &call, &e))
        return false;
    answer_error(s, f, &e);
    return true;
}

/* -- other requests ---------------------------------------------------------------------------- */

json_t *far_call(struct server *s, struct flight *f, const char *op, const json_t *args,
                 struct error *e) {
    const struct far_call call = {op, strlen(op), args, f->by.client, true, false};
    f->awaited = true;
    if (!far_wait(s, e) || !flight_send(s, f, write_call, &call, e))
        return NULL;
    json_t *answer = f->answer.all;
    f->answer.all = NULL;
    if (!answer)
        (void)fail(e, AQFS_CANCELLED, "The request was cancelled");
    return answer;
}

bool far_tool_call(struct server *s, struct flight *f) {
    if (!f->answer.all)
        return begin_far_call(s, f);
    finish_far(s, f);
    return true;
}
