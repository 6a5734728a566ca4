/* read_files.c -- read_file of several files in one call: see read_lines.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "path_list.h"
#include "read_lines.h"

#include <string.h>

/* The bytes that the words have beside lines, for each file: its name, and notes. */
#define NOTES_BYTES 512

/* An equal part of what is left of MOST for each of LEFT files, so that a large one leaves room for
 * those behind it. */
static size_t share_of(int64_t most, size_t used, size_t left) {
    size_t all = (size_t)most > used ? (size_t)most - used : 0;
    size_t one = all / left;
    return one > 1 ? one : 1;
}

static void give_room(const struct call *c, size_t left, struct read_ranges *ranges) {
    const struct limits *limits = &c->work.ws->limits;
    size_t words = share_of(limits->text_bytes, c->text.len, left);
    ranges->words_most = words > 2 * NOTES_BYTES ? words - NOTES_BYTES : words / 2 + 1;
    ranges->data_most = share_of(limits->reply_bytes, c->reply.out.len, left);
}

static void say_file_name(struct buf *out, struct text_ref path) {
    if (out->len > 0 && out->data[out->len - 1] != '\n')
        buf_char(out, '\n');
    buf_str(out, "==> ");
    path_show_safe(out, path.data, path.len);
    buf_str(out, " <==\n");
}

/* Writes what was wrong with PATH in place of what is in it. */
static void write_file_error(struct call *c, struct text_ref path) {
    const struct error *e = &c->work.error;
    struct reply *out = &c->reply;
    reply_kv_path(out, KEY_PATH, path.data, path.len);
    reply_kv_cstring(out, KEY_ERROR, code_name(e->code));
    reply_kv_cstring(out, KEY_MESSAGE, e->message);
    reply_kv_cstring(out, KEY_HINT, e->hint[0] ? e->hint : NULL);
    buf_printf(&c->text, "Error: %s\n", e->message);
    if (e->hint[0])
        buf_printf(&c->text, "%s\n", e->hint);
}

static int read_each_file(struct call *c, const struct value *paths,
                          const struct read_ranges *ranges, bool *truncated) {
    for (size_t i = 0; i < paths->count; i++) {
        struct read_ranges own = *ranges;
        bool cut = false;
        give_room(c, paths->count - i, &own);
        say_file_name(&c->text, paths->list[i]);
        reply_map(&c->reply);
        int code = budget_check(&c->work.budget);
        code = code ? fail_budget(&c->work.error, code)
                    : read_named_file(c, paths->list[i], &own, &cut);
        if (code && path_list_ends(code))
            return code;
        if (code)
            write_file_error(c, paths->list[i]);
        reply_end_map(&c->reply);
        c->work.error = (struct error){0};
        *truncated = *truncated || cut;
    }
    return AQFS_OK;
}

int read_several_files(struct call *c, const struct read_ranges *ranges) {
    const struct value *paths = call_arg(c, "paths");
    bool truncated = false;
    int code = path_list_check(c);
    if (code)
        return code;
    reply_key(&c->reply, KEY_FILES);
    reply_list(&c->reply);
    code = read_each_file(c, paths, ranges, &truncated);
    if (code)
        return code;
    reply_end_list(&c->reply);
    reply_kv_bool(&c->reply, KEY_TRUNCATED, truncated);
    return AQFS_OK;
}
