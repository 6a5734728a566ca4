/* read_bytes.c -- read_bytes: the bytes of any file, as base64.
 *
 * SPDX-License-Identifier: MIT
 */
#include "base64.h"
#include "call.h"
#include "cleanup.h"
#include "ops.h"
#include "scan.h"
#include "secret_read.h"

#include <inttypes.h>

/* Room in the words for the last line, which says what was left out. */
#define MARK_BYTES 256

/* How many bytes to read: as many as asked for, but not more than a reply has room for. */
static int64_t most_bytes(const struct call *c) {
    const struct value *limit = call_arg(c, "limit");
    int64_t room = BASE64_BYTES(c->work.ws->limits.reply_bytes);
    return limit->known && limit->integer < room ? limit->integer : room;
}

/* Shows the base64 TEXT.  If it is too long, shows its beginning: whole groups of four characters,
 * so that the part can be decoded. */
static void show_base64(struct call *c, const struct byte_scan *s, int64_t size, const char *text,
                        size_t n) {
    size_t most = (size_t)c->work.ws->limits.text_bytes - MARK_BYTES;
    size_t bytes = n <= most ? s->bytes.len : BASE64_BYTES(most);
    int64_t end = s->offset + (int64_t)bytes;
    buf_add(&c->text, text, n <= most ? n : most / 4 * 4);
    buf_char(&c->text, '\n');
    if (end < size)
        buf_printf(&c->text,
                   "[truncated: bytes %" PRId64 "-%" PRId64 " of %" PRId64
                   "; continue with offset=%" PRId64 "]\n",
                   s->offset, end - 1, size, end);
    if (s->changed)
        buf_str(&c->text, "[the file changed while it was read: read it again]\n");
}

static int answer(struct call *c, const struct place *place, int64_t size,
                  const struct byte_scan *s) {
    struct reply *out = &c->reply;
    AUTO(buf_free) struct buf path = {0}, text = {0};
    place_show(c->work.ws, place->root, place->path, place->len, &path);
    base64_encode(&text, s->bytes.data, s->bytes.len);
    if (text.failed || path.failed)
        return fail_memory(&c->work.error);
    reply_kv_path(out, KEY_PATH, path.data, path.len);
    reply_kv_string(out, KEY_CONTENT, text.data, text.len);
    reply_kv_int(out, KEY_SIZE, size);
    reply_kv_int(out, KEY_OFFSET, s->offset);
    reply_kv_int(out, KEY_LIMIT, (int64_t)s->most);
    reply_kv_bool(out, KEY_TRUNCATED, s->offset + (int64_t)s->bytes.len < size);
    reply_kv_cstring(out, KEY_VERSION, s->version[0] ? s->version : NULL);
    if (s->changed)
        reply_kv_bool(out, KEY_CHANGED, true);
    show_base64(c, s, size, text.data, text.len);
    return AQFS_OK;
}

int op_read_bytes(struct call *c) {
    struct place place;
    AUTO(node_close) struct node file = {0};
    struct text_ref path = call_text(c, "path");
    int code = workspace_open_path(c->work.ws, path, OPEN_FILE, &place, &file, &c->work.error);
    code = code ? code : call_may_read(c, &place, &file.info, path);
    if (code)
        return code;
    int64_t size = file.info.size, offset = call_int(c, "offset");
    if (offset > size)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "offset: expected at most the file's size, %" PRId64 " bytes, not %" PRId64,
                    size, offset);
    AUTO(byte_scan_free) struct byte_scan scan = {.offset = offset, .most = (size_t)most_bytes(c)};
    code = scan_bytes(c->work.ws, &file, &c->work.budget, &scan, &c->work.error);
    return code ? code : answer(c, &place, size, &scan);
}
