/* read_file.c -- read_file: lines of a text file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "ops.h"
#include "scan.h"
#include "secret_read.h"
#include "unseen.h"

#include <inttypes.h>

/* The lines asked for, counted from 1. */
struct range {
    int64_t first, last;
    bool by_offset; /* spelled with offset and limit */
    bool explicit;  /* the caller asked for some lines, not for the file */
    bool named_end; /* the caller named the last line, and so expects the file to go on behind it */
};

static int64_t add_saturating(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static int range_by_offset(struct call *c, struct range *r) {
    const struct value *offset = call_arg(c, "offset"), *limit = call_arg(c, "limit");
    r->by_offset = r->explicit = true;
    r->first = add_saturating(offset->known ? offset->integer : 0, 1);
    r->last = add_saturating(r->first,
                             (limit->known ? limit->integer : c->work.ws->limits.read_lines) - 1);
    return AQFS_OK;
}

static int range_by_lines(struct call *c, struct range *r) {
    const struct value *start = call_arg(c, "start_line"), *end = call_arg(c, "end_line");
    int64_t first = start->known ? start->integer : 1, last = end->known ? end->integer : -1;
    if (first < 1)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "start_line: expected at least 1, the first line, not %" PRId64, first);
    if (last < 1 && last != -1)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "end_line: expected a line, or -1 for the end, not %" PRId64, last);
    if (last != -1 && last < first)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "end_line: expected at least start_line (%" PRId64 "), not %" PRId64, first,
                    last);
    r->named_end = last != -1;
    r->explicit = first > 1 || r->named_end;
    r->first = first;
    r->last = r->named_end ? last : add_saturating(first, c->work.ws->limits.read_lines - 1);
    return AQFS_OK;
}

static int range_of_arguments(struct call *c, struct range *r) {
    bool lines = call_arg(c, "start_line")->known || call_arg(c, "end_line")->known;
    bool offset = call_arg(c, "offset")->known || call_arg(c, "limit")->known;
    if (lines && offset)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "Give either start_line and end_line, or offset and limit, not both");
    return offset ? range_by_offset(c, r) : range_by_lines(c, r);
}

static int check_first_line(struct call *c, const struct range *r, const struct text_scan *s) {
    int64_t lines = endings_lines(&s->endings);
    if (!s->complete || r->first <= lines || r->first == 1)
        return AQFS_OK;
    return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                "%s: expected a line of the file, which has %" PRId64 " line%s, not %" PRId64,
                r->by_offset ? "offset" : "start_line", lines, lines == 1 ? "" : "s",
                r->by_offset ? r->first - 1 : r->first);
}

/* -- the words for a model -------------------------------------------------------------------- */

/* Room in the words for the last line, which says what was left out. */
#define MARK_BYTES 256

struct prefix {
    bool number, indentation;
};

static void show_prefixed_line(struct buf *out, struct prefix prefix, int64_t number,
                               const char *line, size_t n) {
    if (prefix.number)
        buf_printf(out, "%6" PRId64 "\t", number);
    if (prefix.indentation)
        buf_printf(out, "%3zu| ", text_indentation(line, n));
    text_add_line(out, line, n);
}

/* Shows the lines that fit, and the first one in any case.  Returns how many were shown. */
static int64_t show_lines(struct call *c, const struct range *r, const struct text_scan *s) {
    size_t most = (size_t)c->work.ws->limits.text_bytes - MARK_BYTES;
    if (unseen_may_be_in(s->text.data, s->text.len) && most > 2 * UNSEEN_NOTE_BYTES)
        most -= UNSEEN_NOTE_BYTES;
    const struct prefix prefix = {call_bool(c, "line_numbers"),
                                  call_choice_is(c, "mode", "indentation")};
    const char *line = s->text.data, *end = line + s->text.len;
    buf_reserve(&c->text, s->text.len < most ? s->text.len : most);
    for (int64_t shown = 0; shown < s->kept; shown++) {
        const char *next = text_next_line(line, end);
        bool ended = next > line && next[-1] == '\n';
        size_t before = c->text.len;
        show_prefixed_line(&c->text, prefix, r->first + shown, line, (size_t)(next - line) - ended);
        if (ended)
            buf_char(&c->text, '\n');
        if (c->text.len > most && shown > 0) {
            c->text.data[c->text.len = before] = '\0';
            return shown;
        }
        line = next;
    }
    return s->kept;
}

static void show_rest(struct call *c, const struct range *r, const struct text_scan *s,
                      int64_t shown) {
    int64_t next = r->first + shown;
    buf_printf(&c->text, "[truncated: lines %" PRId64 "-%" PRId64, r->first, next - 1);
    if (s->complete)
        buf_printf(&c->text, " of %" PRId64, endings_lines(&s->endings));
    if (s->cut)
        buf_printf(&c->text, "; line %" PRId64 " is too long to be read whole", r->first);
    if (r->by_offset)
        buf_printf(&c->text, "; continue with offset=%" PRId64 "]\n", next - 1);
    else
        buf_printf(&c->text, "; continue with start_line=%" PRId64 "]\n", next);
}

static void show_lines_read(struct call *c, const struct range *r, const struct text_scan *s,
                            bool truncated) {
    if (s->kept == 0)
        buf_str(&c->text, "[the file is empty]\n");
    int64_t shown = s->kept > 0 ? show_lines(c, r, s) : 0;
    struct unseen_note unseen = {0};
    unseen_note_text(&unseen, NULL, r->first, c->text.data ? c->text.data : "", c->text.len);
    bool more = truncated || shown < s->kept;
    bool unfinished = c->text.len > 0 && c->text.data[c->text.len - 1] != '\n';
    if (unfinished && (more || s->changed || unseen.listed > 0))
        buf_char(&c->text, '\n');
    if (more)
        show_rest(c, r, s, shown);
    if (s->changed)
        buf_str(&c->text, "[the file changed while it was read: read it again]\n");
    unseen_note_end(&unseen, &c->text);
}

/* -- the reply -------------------------------------------------------------------------------- */

/* Whether the file goes on behind the lines that were kept, unless the caller named the last line.
 */
static bool is_truncated(const struct range *r, const struct text_scan *s) {
    int64_t end = r->first + s->kept - 1;
    if (!s->complete || s->cut)
        return true;
    return end < endings_lines(&s->endings) && !(r->named_end && end == r->last);
}

static void write_reply(struct call *c, const struct place *place, const struct node *file,
                        const struct range *r, const struct text_scan *s) {
    struct reply *out = &c->reply;
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, place->root, place->path, place->len, &path);
    out->out.failed |= path.failed;
    reply_kv_path(out, KEY_PATH, path.data, path.len);
    if (!c->words)
        reply_kv_string(out, KEY_CONTENT, s->text.data, s->text.len);
    reply_kv_int(out, KEY_START_LINE, r->first);
    reply_kv_int(out, KEY_END_LINE, r->first + s->kept - 1);
    reply_key(out, KEY_TOTAL_LINES);
    if (s->complete)
        reply_kv_int(out, NULL, endings_lines(&s->endings));
    else
        reply_null(out);
    reply_kv_int(out, KEY_OFFSET, r->first - 1);
    reply_kv_int(out, KEY_LIMIT, r->last - r->first + 1);
    reply_kv_bool(out, KEY_TRUNCATED, is_truncated(r, s));
    reply_kv_cstring(out, KEY_VERSION, s->version[0] ? s->version : NULL);
    reply_kv_cstring(out, KEY_ENCODING, s->encoding.name);
    reply_kv_cstring(out, KEY_LINE_ENDINGS, endings_name(&s->endings));
    reply_kv_bool(out, KEY_BOM, s->encoding.mark > 0);
    reply_key(out, KEY_LINKS);
    if (file->info.links > 1)
        reply_kv_int(out, NULL, file->info.links);
    else
        reply_null(out);
    if (s->changed)
        reply_kv_bool(out, KEY_CHANGED, true);
}

int op_read_file(struct call *c) {
    struct range range = {0};
    int code = range_of_arguments(c, &range);
    if (code)
        return code;
    struct text_ref path = call_text(c, "path");
    char label[PATH_LABEL];
    struct place place;
    AUTO(node_close) struct node file = {0};
    code = workspace_open_path(c->work.ws, path, OPEN_FILE, &place, &file, &c->work.error);
    code = code ? code : call_may_read(c, &place, &file.info, path);
    if (code)
        return code;
    AUTO(text_scan_free)
    struct text_scan scan = {
        .label = path_label(path.data, path.len, label),
        .charset = call_text(c, "encoding"),
        .first = range.first,
        .last = range.last,
        .most = (size_t)c->work.ws->limits.reply_bytes,
        .brief = range.explicit && file.info.size > c->work.ws->limits.read_bytes,
    };
    code = scan_text(c->work.ws, &file, &c->work.budget, &scan, &c->work.error);
    code = code ? code : check_first_line(c, &range, &scan);
    if (code)
        return code;
    write_reply(c, &place, &file, &range, &scan);
    show_lines_read(c, &range, &scan, is_truncated(&range, &scan));
    return AQFS_OK;
}
