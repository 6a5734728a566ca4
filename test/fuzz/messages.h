/* SPDX-License-Identifier: MIT */
/* messages.h -- what a server of ours has written for its client: lines of JSON-RPC. */
#ifndef FUZZ_MESSAGES_H
#define FUZZ_MESSAGES_H

#include "fuzz.h"
#include "serving.h"

#include <string.h>

/* Counts the answers to each id below 100 in ANSWERS. */
static inline void check_message(const char *line, size_t n, unsigned answers[100]) {
    json_t *v = json_loadb(line, n, JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
    PROMISE(json_is_object(v));
    PROMISE(strcmp(json_string_value(json_object_get(v, "jsonrpc")), "2.0") == 0);
    PROMISE(json_object_get(v, "method") ||
            !json_object_get(v, "result") != !json_object_get(v, "error"));
    json_int_t id = json_integer_value(json_object_get(v, "id"));
    if (answers && !json_object_get(v, "method") && id >= 0 && id < 100)
        answers[id]++;
    json_decref(v);
}

/* Empties BOX, which no thread writes out.  ANSWERS may be NULL. */
static inline void check_messages(struct outbox *box, unsigned answers[100]) {
    struct buf *out = &box->waiting;
    PROMISE(!box->broken && !out->failed);
    for (size_t at = 0; at < out->len;) {
        const char *end = memchr(out->data + at, '\n', out->len - at);
        PROMISE(end);
        check_message(out->data + at, (size_t)(end - out->data) - at, answers);
        at = (size_t)(end - out->data) + 1;
    }
    buf_free(out);
}

#endif
