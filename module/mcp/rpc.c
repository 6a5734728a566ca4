/* rpc.c -- JSON-RPC 2.0, reading and writing messages: see rpc.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rpc.h"

#include "path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void fault_set(struct fault *fault, enum rpc_code code, const char *format, ...) {
    va_list arguments;
    fault->code = code;
    va_start(arguments, format);
    (void)vsnprintf(fault->words, sizeof fault->words, format, arguments);
    va_end(arguments);
}

/* -- reading ----------------------------------------------------------------------------------- */

static json_t *parse_message(const char *text, size_t n, struct fault *fault) {
    json_error_t problem;
    json_t *all =
        json_loadb(text, n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &problem);
    if (all)
        return all;
    switch (json_error_code(&problem)) {
    case json_error_stack_overflow:
        fault_set(fault, RPC_PARSE_ERROR,
                  "The message is nested too deeply: send less than 2,000 "
                  "levels");
        break;
    case json_error_out_of_memory:
        fault_set(fault, RPC_INTERNAL_ERROR,
                  "There is no memory for this message: send a smaller "
                  "one");
        break;
    default:
        fault_set(fault, RPC_PARSE_ERROR, "The line is no JSON: at byte %d: %s", problem.position,
                  problem.text);
    }
    return NULL;
}

static bool is_id(const json_t *id) {
    return json_is_string(id) || json_is_integer(id);
}

/* The fault in the members of a message that is an object; NULL when there is none. */
static const char *wrong_member(const json_t *all) {
    const json_t *version = json_object_get(all, "jsonrpc");
    const json_t *id = json_object_get(all, "id"), *method = json_object_get(all, "method");
    const json_t *params = json_object_get(all, "params");
    if (!json_is_string(version) || strcmp(json_string_value(version), "2.0") != 0)
        return "jsonrpc: expected \"2.0\"";
    if (method && !json_is_string(method))
        return "method: expected a string";
    if (method && strlen(json_string_value(method)) != json_string_length(method))
        return "method: expected a string without NUL";
    if (method && id && !is_id(id))
        return "id: expected a string or an integer";
    if (params && !json_is_object(params))
        return "params: expected an object";
    if (!method && !json_object_get(all, "result") && !json_object_get(all, "error"))
        return "expected a request with method, or a response with result or error";
    return NULL;
}

bool message_read(const char *text, size_t n, struct message *out, struct fault *fault) {
    *out = (struct message){.all = parse_message(text, n, fault)};
    if (!out->all)
        return false;
    if (json_is_array(out->all)) {
        fault_set(fault, RPC_INVALID_REQUEST,
                  "Batches are not part of the protocol: send each message in a line of its own");
        return false;
    }
    if (!json_is_object(out->all)) {
        fault_set(fault, RPC_INVALID_REQUEST, "A message is an object");
        return false;
    }
    const json_t *id = json_object_get(out->all, "id");
    out->id = is_id(id) ? id : NULL;
    const char *wrong = wrong_member(out->all);
    if (wrong) {
        fault_set(fault, RPC_INVALID_REQUEST, "%s", wrong);
        return false;
    }
    out->method = json_string_value(json_object_get(out->all, "method"));
    out->params = json_object_get(out->all, "params");
    out->kind = !out->method ? MESSAGE_RESPONSE : out->id ? MESSAGE_REQUEST : MESSAGE_NOTIFICATION;
    return true;
}

void message_free(struct message *message) {
    json_decref(message->all);
    *message = (struct message){0};
}

/* -- writing ----------------------------------------------------------------------------------- */

void rpc_begin(struct reply *r) {
    *r = (struct reply){.format = AQFS_JSON};
    reply_map(r);
    reply_kv_cstring(r, "jsonrpc", "2.0");
}

void rpc_end(struct reply *r) {
    reply_end_map(r);
    buf_char(&r->out, '\n');
}

void rpc_id(struct reply *r, const json_t *id) {
    if (json_is_string(id))
        reply_kv_string(r, "id", json_string_value(id), json_string_length(id));
    else if (id)
        reply_kv_int(r, "id", json_integer_value(id));
}

static int add_dumped(const char *bytes, size_t n, void *out) {
    buf_add(out, bytes, n);
    return 0;
}

void rpc_value(struct reply *r, const char *key, const json_t *value) {
    struct buf text = {0};
    reply_key(r, key);
    if (json_dump_callback(value, add_dumped, &text, JSON_ENCODE_ANY | JSON_COMPACT) != 0 ||
        text.failed)
        r->out.failed = true;
    else
        reply_raw(r, text.data, text.len);
    buf_free(&text);
}

void rpc_begin_method(struct reply *r, const char *method, const char *id) {
    rpc_begin(r);
    if (id)
        reply_kv_cstring(r, "id", id);
    reply_kv_cstring(r, "method", method);
    reply_key(r, "params");
    reply_map(r);
}

void rpc_end_method(struct reply *r) {
    reply_end_map(r);
    rpc_end(r);
}

void rpc_error(struct reply *r, const json_t *id, const struct fault *fault, const char *data) {
    rpc_begin(r);
    rpc_id(r, id);
    reply_key(r, "error");
    reply_map(r);
    reply_kv_int(r, "code", fault->code);
    reply_kv_cstring(r, "message", fault->words);
    if (data) {
        reply_key(r, "data");
        reply_raw(r, data, strlen(data));
    }
    reply_end_map(r);
    rpc_end(r);
}
