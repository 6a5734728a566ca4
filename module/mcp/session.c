/* session.c -- what a client may send, in both eras of the protocol.
 *
 * SPDX-License-Identifier: MIT
 */
#include "serving.h"

#include "path.h"

#include <string.h>

/* The things a list depends on do not change while the server runs; Emacs is another one some day.
 */
#define TTL_LISTS_MS(s) ((s)->link ? 60000 : 3600000)

/* Versions with a handshake, the newest first. */
static const char *const legacy_versions[] = {"2025-11-25", "2025-06-18", "2025-03-26",
                                              "2024-11-05"};
#define LEGACY_COUNT (sizeof legacy_versions / sizeof *legacy_versions)

/* -- refusals -----------------------------------------------------------------------------------
 */

static void refuse_message(struct server *s, const json_t *id, const struct fault *fault,
                           const char *data) {
    struct reply r;
    rpc_error(&r, id, fault, data);
    server_send(s, &r);
}

/* -- who speaks -------------------------------------------------------------------------------- */

/* A client that declares elicitation without saying how can show a form. */
static bool has_forms(const json_t *capabilities) {
    const json_t *elicitation = json_object_get(capabilities, "elicitation");
    return json_is_object(elicitation) &&
           (json_object_size(elicitation) == 0 || json_object_get(elicitation, "form"));
}

static void name_client(struct speaker *by, const json_t *info) {
    struct buf shown = {0};
    const json_t *name = json_object_get(info, "name");
    if (json_is_string(name))
        path_show_safe(&shown, json_string_value(name), json_string_length(name));
    if (shown.data && !shown.failed)
        (void)snprintf(by->client, sizeof by->client, "%.60s", shown.data);
    buf_free(&shown);
}

static void list_versions(struct reply *r, const char *key) {
    reply_key(r, key);
    reply_list(r);
    reply_kv_cstring(r, NULL, MODERN_VERSION);
    for (size_t i = 0; i < LEGACY_COUNT; i++)
        reply_kv_cstring(r, NULL, legacy_versions[i]);
    reply_end_list(r);
}

static void refuse_version(struct server *s, const json_t *id, const json_t *version) {
    struct reply data = {.format = AQFS_JSON};
    struct fault fault;
    fault_set(&fault, RPC_UNSUPPORTED_VERSION, "Unsupported protocol version");
    reply_map(&data);
    list_versions(&data, "supported");
    reply_kv_string(&data, "requested", json_string_value(version), json_string_length(version));
    reply_end_map(&data);
    refuse_message(s, id, &fault, data.out.failed ? NULL : data.out.data);
    buf_free(&data.out);
}

/* Reads from the request M itself who speaks.  False if that was refused. */
static bool read_modern(struct server *s, const struct message *m, const json_t *meta,
                        struct speaker *by) {
    const json_t *version = json_object_get(meta, META("protocolVersion"));
    const json_t *capabilities = json_object_get(meta, META("clientCapabilities"));
    struct fault fault;
    if (!json_is_string(version) || !json_is_object(capabilities)) {
        fault_set(&fault, RPC_INVALID_PARAMS, "_meta: expected %s",
                  !json_is_string(version) ? META("protocolVersion") ", a string"
                                           : META("clientCapabilities") ", an object");
        refuse_message(s, m->id, &fault, NULL);
        return false;
    }
    if (strcmp(json_string_value(version), MODERN_VERSION) != 0) {
        refuse_version(s, m->id, version);
        return false;
    }
    *by = (struct speaker){.era = ERA_MODERN, .can_ask = has_forms(capabilities)};
    name_client(by, json_object_get(meta, META("clientInfo")));
    return true;
}

/* -- quick requests ---------------------------------------------------------------------------- */

static void write_capabilities(struct reply *r, const struct server *s) {
    reply_key(r, "capabilities");
    reply_map(r);
    reply_key(r, "tools");
    reply_map(r);
    if (s->link) /* Emacs may be another one some day */
        reply_kv_bool(r, "listChanged", true);
    reply_end_map(r);
    reply_key(r, "resources");
    reply_map(r);
    reply_kv_bool(r, "subscribe", true);
    reply_end_map(r);
    reply_end_map(r);
}

static void discover(struct server *s, const struct message *m, const struct speaker *by) {
    struct reply r;
    answer_begin(&r, m->id, by, "complete", NULL);
    list_versions(&r, "supportedVersions");
    write_capabilities(&r, s);
    answer_cache_hints(&r, by, TTL_LISTS_MS(s), "private");
    answer_end(&r);
    server_send(s, &r);
}

static void list_tools(struct server *s, const struct message *m, const struct speaker *by) {
    struct reply r;
    struct fault fault;
    if (json_object_get(m->params, "cursor")) {
        fault_set(&fault, RPC_INVALID_PARAMS, "cursor: the list has one page only");
        refuse_message(s, m->id, &fault, NULL);
        return;
    }
    answer_begin(&r, m->id, by, "complete", NULL);
    reply_key(&r, "tools");
    pthread_mutex_lock(&s->lock);
    const struct buf *list = s->far_tools.len > 0 ? &s->far_tools : &s->box.list;
    reply_raw(&r, list->data, list->len);
    s->listed = true;
    pthread_mutex_unlock(&s->lock);
    answer_cache_hints(&r, by, TTL_LISTS_MS(s), "private");
    answer_end(&r);
    server_send(s, &r);
}

static void list_templates(struct server *s, const struct message *m, const struct speaker *by) {
    resource_templates(s, m->id, by);
}

static void ping(struct server *s, const struct message *m, const struct speaker *by) {
    struct reply r;
    answer_begin(&r, m->id, by, "complete", NULL);
    answer_end(&r);
    server_send(s, &r);
}

static const char *agreed_version(const json_t *wanted) {
    for (size_t i = 0; i < LEGACY_COUNT; i++)
        if (strcmp(legacy_versions[i], json_string_value(wanted)) == 0)
            return legacy_versions[i];
    return legacy_versions[0];
}

static void initialize(struct server *s, const struct message *m) {
    const json_t *version = json_object_get(m->params, "protocolVersion");
    const json_t *capabilities = json_object_get(m->params, "capabilities");
    struct reply r;
    struct fault fault;
    if (s->initialized || !json_is_string(version) || !json_is_object(capabilities)) {
        if (s->initialized)
            fault_set(&fault, RPC_INVALID_REQUEST, "This connection is initialized already");
        else
            fault_set(&fault, RPC_INVALID_PARAMS, "initialize: expected %s",
                      json_is_string(version) ? "capabilities, an object"
                                              : "protocolVersion, a string");
        refuse_message(s, m->id, &fault, NULL);
        return;
    }
    const char *agreed = agreed_version(version);
    /* Elicitation came with 2025-06-18. */
    s->session = (struct speaker){
        .era = ERA_LEGACY, .can_ask = has_forms(capabilities) && strcmp(agreed, "2025-06-18") >= 0};
    name_client(&s->session, json_object_get(m->params, "clientInfo"));
    pthread_mutex_lock(&s->lock);
    s->initialized = true;
    pthread_mutex_unlock(&s->lock);
    answer_begin(&r, m->id, &s->session, "complete", NULL);
    reply_kv_cstring(&r, "protocolVersion", agreed);
    write_capabilities(&r, s);
    answer_implementation(&r, "serverInfo");
    answer_end(&r);
    server_send(s, &r);
}

/* -- requests ---------------------------------------------------------------------------------- */

struct method {
    const char *name;
    bool legacy, modern;
    bool far; /* it waits for Emacs, where that makes the calls */
    void (*answer)(struct server *s, const struct message *m, const struct speaker *by);
    flight_server *serve; /* a worker does it */
};

static bool call_tool(struct server *s, struct flight *f) {
    return s->link ? far_tool_call(s, f) : tool_call(s, f);
}

static const struct method methods[] = {
    {"tools/call", true, true, true, NULL, call_tool},
    {"tools/list", true, true, true, list_tools, NULL},
    {"resources/read", true, true, true, NULL, resource_read},
    {"resources/list", true, true, true, NULL, resource_list},
    {"resources/templates/list", true, true, true, list_templates, NULL},
    {"resources/subscribe", true, false, true, NULL, subscription_begin},
    {"resources/unsubscribe", true, false, false, subscription_leave, NULL},
    {"subscriptions/listen", false, true, true, NULL, subscription_listen},
    {"server/discover", false, true, false, discover, NULL},
    {"ping", true, false, false, ping, NULL},
};

static const struct method *method_named(const char *name, enum era era) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].name, name) == 0)
            return (era == ERA_MODERN ? methods[i].modern : methods[i].legacy) ? &methods[i] : NULL;
    return NULL;
}

/* Answers F when Emacs is there, or cannot be reached. */
static bool answer_after_emacs(struct server *s, struct flight *f) {
    const struct method *method = method_named(f->message.method, f->by.era);
    struct error e;
    (void)far_wait(s, &e);
    if (method && method->answer && !flight_is_cancelled(f))
        method->answer(s, &f->message, &f->by);
    return true;
}

static void refuse_early(struct server *s, const struct message *m) {
    struct fault fault;
    fault_set(&fault, RPC_INVALID_REQUEST,
              "Send initialize first, or with each request _meta with " META(
                  "protocolVersion") " and " META("clientCapabilities"));
    refuse_message(s, m->id, &fault, NULL);
}

static void refuse_method(struct server *s, const struct message *m) {
    char label[PATH_LABEL];
    struct fault fault;
    fault_set(&fault, RPC_METHOD_NOT_FOUND, "There is no method %.300s",
              path_label(m->method, strlen(m->method), label));
    refuse_message(s, m->id, &fault, NULL);
}

static void take_request(struct server *s, struct message *m, size_t bytes) {
    const json_t *meta = json_object_get(m->params, "_meta");
    struct speaker by = s->session;
    bool modern =
        json_object_get(meta, META("protocolVersion")) || strcmp(m->method, "server/discover") == 0;
    if (modern && !read_modern(s, m, meta, &by))
        return;
    if (!modern && strcmp(m->method, "initialize") == 0) {
        initialize(s, m);
        return;
    }
    if (!modern && !s->initialized && strcmp(m->method, "ping") != 0) {
        refuse_early(s, m);
        return;
    }
    const struct method *method = method_named(m->method, by.era);
    if (!method)
        refuse_method(s, m);
    else if (method->answer && !(s->link && method->far))
        method->answer(s, m, &by);
    else
        flight_begin(s, m, &by, method->serve ? method->serve : answer_after_emacs, bytes);
}

static void refuse_known_id(struct server *s, const struct message *m) {
    struct fault fault;
    fault_set(&fault, RPC_INVALID_REQUEST,
              "id: another request with this id has not been answered yet");
    refuse_message(s, m->id, &fault, NULL);
}

static void cancel_request(struct server *s, const json_t *id) {
    flights_cancel(s, id);
    subscriptions_cancel(s, id);
}

void session_take(void *server, const char *text, size_t n) {
    struct server *s = server;
    struct message m = {0};
    struct fault fault;
    if (!text) {
        fault_set(&fault, RPC_PARSE_ERROR,
                  "The line is longer than %zu bytes, or there is no memory for it: send less",
                  s->in.most);
        refuse_message(s, NULL, &fault, NULL);
        return;
    }
    if (!message_read(text, n, &m, &fault))
        refuse_message(s, m.id, &fault, NULL);
    else if (m.kind == MESSAGE_RESPONSE)
        flights_answer(s, &m);
    else if (m.kind == MESSAGE_NOTIFICATION && strcmp(m.method, "notifications/cancelled") == 0)
        cancel_request(s, json_object_get(m.params, "requestId"));
    else if (m.kind == MESSAGE_REQUEST && (flights_knows(s, m.id) || subscriptions_know(s, m.id)))
        refuse_known_id(s, &m);
    else if (m.kind == MESSAGE_REQUEST)
        take_request(s, &m, n);
    message_free(&m);
}
