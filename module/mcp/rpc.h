/* rpc.h -- JSON-RPC 2.0 as the Model Context Protocol uses it: reading and writing messages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_RPC_H
#define AQFS_RPC_H

#include "reply.h"

#include <jansson.h>
#include <stdbool.h>

enum rpc_code {
    RPC_PARSE_ERROR = -32700,
    RPC_INVALID_REQUEST = -32600,
    RPC_METHOD_NOT_FOUND = -32601,
    RPC_INVALID_PARAMS = -32602,
    RPC_INTERNAL_ERROR = -32603,
    RPC_RESOURCE_NOT_FOUND = -32002, /* until 2025-11-25 */
    RPC_UNSUPPORTED_VERSION = -32022
};

enum message_kind { MESSAGE_REQUEST, MESSAGE_NOTIFICATION, MESSAGE_RESPONSE };

struct message {
    enum message_kind kind;
    json_t *all;        /* owns the rest */
    const json_t *id;   /* a string or an integer; NULL of a notification */
    const char *method; /* NULL of a response */
    const json_t *params;
};

/* Why a message is not served. */
struct fault {
    enum rpc_code code;
    char words[600];
};

__attribute__((format(printf, 3, 4))) void fault_set(struct fault *fault, enum rpc_code code,
                                                     const char *format, ...);

/* Reads TEXT.  False and *FAULT for what is no message: then only all and id of OUT are set, id
 * where it could be read.  Call message_free in either case. */
bool message_read(const char *text, size_t n, struct message *out, struct fault *fault);
void message_free(struct message *message);

/* -- writing ----------------------------------------------------------------------------------- */

/* A message: {"jsonrpc": "2.0", ..., and then its end, with a newline. */
void rpc_begin(struct reply *r);
void rpc_end(struct reply *r);

/* The member `id`; none for NULL. */
void rpc_id(struct reply *r, const json_t *id);
/* A JSON value as it is. */
void rpc_value(struct reply *r, const char *key, const json_t *value);

/* {"jsonrpc": "2.0", "method": METHOD, "params": {, and then both ends. */
void rpc_begin_method(struct reply *r, const char *method, const char *id);
void rpc_end_method(struct reply *r);

/* A whole error.  DATA is printed JSON, or NULL. */
void rpc_error(struct reply *r, const json_t *id, const struct fault *fault, const char *data);

#endif
