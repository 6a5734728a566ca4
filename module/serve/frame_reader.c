/* frame_reader.c -- frames from a stream of bytes, and back: see frame_reader.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "frame_reader.h"

#include <inttypes.h>
#include <string.h>

#define X(constant, name) name,
static const char *const kind_names[] = {FRAME_KINDS(X)};
#undef X

static enum frame_kind frame_kind_named(const char *name, size_t n) {
    for (int kind = 0; kind < FRAME_UNKNOWN; kind++)
        if (strlen(kind_names[kind]) == n && memcmp(kind_names[kind], name, n) == 0)
            return (enum frame_kind)kind;
    return FRAME_UNKNOWN;
}

/* The number at *AT, which a space or END follows; *AT goes behind it. */
static bool read_frame_number(const char **at, const char *end, uint64_t *out) {
    const char *from = *at;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9'; ++*at)
        if (*at - from < FRAME_DIGITS)
            *out = *out * 10 + (uint64_t)(**at - '0');
    ptrdiff_t digits = *at - from;
    if (digits == 0 || digits > FRAME_DIGITS || (digits > 1 && *from == '0'))
        return false;
    return *at == end || **at == ' ';
}

static bool read_frame_head(const char *text, size_t n, struct frame_head *head) {
    const char *at = text, *end = text + n;
    uint64_t numbers[3];
    while (at < end && *at >= 'a' && *at <= 'z')
        at++;
    if (at == text)
        return false;
    head->kind = frame_kind_named(text, (size_t)(at - text));
    for (size_t i = 0; i < 3; i++)
        if (at >= end || *at++ != ' ' || !read_frame_number(&at, end, &numbers[i]))
            return false;
    head->id = numbers[0];
    head->argument = numbers[1];
    head->length = (size_t)numbers[2];
    return at == end;
}

/* How many of the N bytes belong to the head. */
static size_t feed_head(struct frame_reader *r, const char *bytes, size_t n) {
    const char *newline = memchr(bytes, '\n', n);
    size_t part = newline ? (size_t)(newline - bytes) : n;
    if (part > FRAME_HEAD_BYTES - r->text_n) {
        r->fault = "bad-header";
        return n;
    }
    memcpy(r->text + r->text_n, bytes, part);
    r->text_n += part;
    if (!newline)
        return n;
    if (!read_frame_head(r->text, r->text_n, &r->head))
        r->fault = "bad-header";
    else if (r->head.length > r->most)
        r->fault = "too-long";
    r->text_n = 0;
    r->in_payload = true;
    return part + 1;
}

/* The same of the payload and the newline behind it; *WHOLE when they are there.  Memory is taken
 * for what has come, and not for what the head promises. */
static size_t feed_payload(struct frame_reader *r, const char *bytes, size_t n, bool *whole) {
    size_t left = r->head.length - r->payload.len, part = left < n ? left : n;
    if (part > 0)
        buf_add(&r->payload, bytes, part);
    if (r->payload.failed)
        r->fault = "no-memory";
    else if (part < n && bytes[part] != '\n')
        r->fault = "bad-end";
    *whole = !r->fault && part < n;
    return part < n ? part + 1 : n;
}

bool frame_reader_feed(struct frame_reader *r, const char *bytes, size_t n, frame_handler *handle,
                       void *data) {
    while (n > 0 && !r->fault) {
        bool whole = false;
        size_t used = r->in_payload ? feed_payload(r, bytes, n, &whole) : feed_head(r, bytes, n);
        bytes += used;
        n -= used;
        if (!whole)
            continue;
        r->in_payload = false;
        handle(data, &r->head, &r->payload);
        buf_free(&r->payload);
    }
    return !r->fault;
}

void frame_reader_free(struct frame_reader *r) {
    buf_free(&r->payload);
}

bool frame_reader_is_between(const struct frame_reader *r) {
    return !r->in_payload && r->text_n == 0;
}

void frame_print(struct buf *out, enum frame_kind kind, uint64_t id, uint64_t argument,
                 const char *payload, size_t n) {
    buf_printf(out, "%s %" PRIu64 " %" PRIu64 " %zu\n", kind_names[kind], id, argument, n);
    if (n > 0)
        buf_add(out, payload, n);
    buf_char(out, '\n');
}
