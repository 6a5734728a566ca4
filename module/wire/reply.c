/* reply.c -- writing a reply as data, and the answer of a call: see reply.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reply.h"

#include "path.h"
#include "time_show.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

/* Begins a value, or a KEY that a value will follow, with a separator if another value stands
 * before it. */
static void begin_datum(struct reply *r, const char *key) {
    const bool json = r->format == AQFS_JSON;
    if (r->separate && json)
        buf_char(&r->out, ',');
    if (r->separate)
        buf_char(&r->out, ' ');
    r->separate = false; /* set again where a value ends */
    if (!key)
        return;
    if (!json) {
        buf_char(&r->out, ':');
        buf_str(&r->out, key);
        buf_char(&r->out, ' ');
        return;
    }
    buf_char(&r->out, '"');
    const size_t from = r->out.len;
    buf_str(&r->out, key);
    for (char *dash = r->out.data + from; !r->out.failed && (dash = strchr(dash, '-'));)
        *dash = '_';
    buf_str(&r->out, "\": ");
}

void reply_tell(struct reply *r) {
    struct reply_listener *l = r->listener;
    if (!l || r->out.failed)
        return;
    for (; r->out.len - l->told >= l->block; l->told += l->block)
        l->take(l->data, r->out.data + l->told, l->block);
}

void reply_key(struct reply *r, const char *key) {
    begin_datum(r, key);
}

void reply_map(struct reply *r) {
    begin_datum(r, NULL);
    buf_char(&r->out, r->format == AQFS_JSON ? '{' : '(');
}

void reply_end_map(struct reply *r) {
    buf_char(&r->out, r->format == AQFS_JSON ? '}' : ')');
    r->separate = true;
}

void reply_list(struct reply *r) {
    begin_datum(r, NULL);
    buf_char(&r->out, r->format == AQFS_JSON ? '[' : '(');
}

void reply_end_list(struct reply *r) {
    buf_char(&r->out, r->format == AQFS_JSON ? ']' : ')');
    r->separate = true;
}

static void escape(struct buf *out, unsigned char c) {
    switch (c) {
    case '"':
        buf_str(out, "\\\"");
        break;
    case '\\':
        buf_str(out, "\\\\");
        break;
    case '\n':
        buf_str(out, "\\n");
        break;
    case '\r':
        buf_str(out, "\\r");
        break;
    case '\t':
        buf_str(out, "\\t");
        break;
    default:
        buf_printf(out, "\\u%04x", c);
    }
}

/* Are eight bytes ASCII with nothing to escape?  Each term sets the high bit of the bytes it looks
 * for.  By a borrow it may also set that of the byte above one, which only sends a plain byte the
 * slow way. */
static bool plain_word(const char *bytes, bool json) {
    const uint64_t ones = UINT64_C(0x0101010101010101), highs = ones << 7;
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    const uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
    uint64_t found = word | (quote - ones) | (backslash - ones);
    if (json)
        found |= word - ones * 0x20;
    return (found & highs) == 0;
}

#define LANES 16
typedef unsigned char lanes __attribute__((vector_size(LANES), aligned(1), may_alias));

#define PLAIN_BLOCK ((size_t)2 * LANES)

/* The same of PLAIN_BLOCK bytes. */
static bool plain_block(const char *bytes, bool json) {
    lanes found = {0};
    uint64_t halves[2];
    for (size_t i = 0; i < PLAIN_BLOCK; i += LANES) {
        const lanes b = *(const lanes *)(const void *)(bytes + i);
        found |= (b & 0x80) | (lanes)(b == '"') | (lanes)(b == '\\');
        if (json)
            found |= (lanes)(b < 0x20);
    }
    memcpy(halves, &found, sizeof halves);
    return (halves[0] | halves[1]) == 0;
}

/* The number of bytes that can be copied as they are: valid UTF-8 with nothing to escape.  In a
 * Lisp's string only two characters need an escape.  JSON also forbids control characters. */
static size_t plain_run(const char *bytes, size_t n, bool json) {
    size_t at = 0;
    while (n - at >= PLAIN_BLOCK && plain_block(bytes + at, json))
        at += PLAIN_BLOCK;
    while (at < n) {
        if (n - at >= 8 && plain_word(bytes + at, json)) {
            at += 8;
            continue;
        }
        unsigned char c = (unsigned char)bytes[at];
        size_t length = 1;
        if (c >= 0x80) {
            int32_t code_point;
            length = utf8_decode(bytes + at, n - at, &code_point);
            if (code_point < 0)
                break;
        } else if (c == '"' || c == '\\' || (json && c < 0x20)) {
            break;
        }
        at += length;
    }
    return at;
}

void reply_string(struct reply *r, const char *bytes, size_t n) {
    begin_datum(r, NULL);
    buf_char(&r->out, '"');
    for (size_t at = 0; at < n;) {
        size_t run = plain_run(bytes + at, n - at, r->format == AQFS_JSON);
        buf_add(&r->out, bytes + at, run);
        at += run;
        if (at == n)
            break;
        unsigned char c = (unsigned char)bytes[at++];
        if (c < 0x80)
            escape(&r->out, c);
        else
            buf_str(&r->out, "\xEF\xBF\xBD"); /* U+FFFD for each stray byte */
    }
    buf_char(&r->out, '"');
    r->separate = true;
}

/* A search writes thousands of these, so room is made once for each. */
void reply_plain(struct reply *r, const char *bytes, size_t n) {
    struct buf *out = &r->out;
    begin_datum(r, NULL);
    r->separate = true;
    if (!buf_reserve(out, n + 2))
        return;
    out->data[out->len] = '"';
    memcpy(out->data + out->len + 1, bytes, n);
    out->len += n + 2;
    out->data[out->len - 1] = '"';
    out->data[out->len] = '\0';
}

void reply_path(struct reply *r, const char *bytes, size_t n) {
    /* Nearly all paths, so no buffer for them. */
    if (path_is_plain(bytes, n) || !path_needs_quotes(bytes, n)) {
        reply_string(r, bytes, n);
        return;
    }
    struct buf shown = {0};
    path_show(&shown, bytes, n);
    reply_string(r, shown.data, shown.len);
    r->out.failed |= shown.failed;
    buf_free(&shown);
}

void reply_null(struct reply *r) {
    begin_datum(r, NULL);
    buf_str(&r->out, r->format == AQFS_JSON ? "null" : "nil");
    r->separate = true;
}

void reply_raw(struct reply *r, const char *data, size_t n) {
    if (n == 0)
        return;
    begin_datum(r, NULL);
    buf_add(&r->out, data, n);
    r->separate = true;
}

void reply_kv_string(struct reply *r, const char *key, const char *bytes, size_t n) {
    begin_datum(r, key);
    reply_string(r, bytes, n);
}

void reply_kv_cstring(struct reply *r, const char *key, const char *s) {
    begin_datum(r, key);
    if (s)
        reply_string(r, s, strlen(s));
    else
        reply_null(r);
}

void reply_kv_path(struct reply *r, const char *key, const char *bytes, size_t n) {
    begin_datum(r, key);
    reply_path(r, bytes, n);
}

void reply_kv_int(struct reply *r, const char *key, int64_t n) {
    begin_datum(r, key);
    buf_int(&r->out, n);
    r->separate = true;
}

void reply_kv_bool(struct reply *r, const char *key, bool yes) {
    begin_datum(r, key);
    if (r->format == AQFS_JSON)
        buf_str(&r->out, yes ? "true" : "false");
    else
        buf_str(&r->out, yes ? "t" : "nil");
    r->separate = true;
}

void reply_kv_keyword(struct reply *r, const char *key, const char *word) {
    begin_datum(r, key);
    buf_char(&r->out, r->format == AQFS_JSON ? '"' : ':');
    buf_str(&r->out, word);
    if (r->format == AQFS_JSON)
        buf_char(&r->out, '"');
    r->separate = true;
}

void reply_kv_time(struct reply *r, const char *key, int64_t ns) {
    char text[TIME_SHOWN];
    begin_datum(r, key);
    if (ns == INT64_MIN) { /* backend.h's TIME_UNKNOWN */
        reply_null(r);
        return;
    }
    time_show(ns, text);
    reply_string(r, text, TIME_SHOWN - 1);
}

const char *tier_name(enum tier tier) {
#define X(constant, name) name,
    static const char *const names[] = {TIERS(X)};
#undef X
    return names[tier];
}

/* -- the answer of a call --------------------------------------------------------------------- */

const char *aqfs_reply_text(const aqfs_reply *reply, size_t *length) {
    if (length)
        *length = reply->text.len;
    return reply->text.data;
}

const char *aqfs_reply_error(const aqfs_reply *reply) {
    return reply->code ? code_name(reply->code) : NULL;
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
                        const struct buf *members, const struct buf *words) {
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
    if (words)
        buf_add(&text, words->data, words->len);
    reply_kv_string(r, KEY_TEXT, text.data ? text.data : "Error", text.data ? text.len : 5);
    buf_free(&text);
    if (members && members->len > 0)
        reply_raw(r, members->data, members->len);
    reply_end_map(r);
}

aqfs_reply *reply_from_error(int format, const struct error *e, const char *path, size_t path_n) {
    return reply_from_error_with(format, e, path, path_n, NULL, NULL);
}

aqfs_reply *reply_from_error_with(int format, const struct error *e, const char *path,
                                  size_t path_n, const struct buf *members,
                                  const struct buf *words) {
    struct reply r = {.format = format};
    write_error(&r, e, path, path_n, members, words);
    aqfs_reply *reply = r.out.failed ? NULL : calloc(1, sizeof *reply);
    if (!reply) {
        buf_free(&r.out);
        return NULL;
    }
    reply->text = r.out;
    reply->code = e->code;
    return reply;
}
