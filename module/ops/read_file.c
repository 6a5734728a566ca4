/* read_file.c -- read_file: lines of a text file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "diff.h"
#include "ops.h"
#include "read_lines.h"
#include "secret.h"
#include "secret_read.h"
#include "shown_text.h"

#include <inttypes.h>
#include <string.h>

/* The file that is read. */
struct file_reading {
    struct call *call;
    struct place place;
    struct node file;
    char label[PATH_LABEL];
    struct read_ranges ranges;
};

static void file_reading_close(struct file_reading *r) {
    node_close(&r->file);
}

static int scan_range(struct file_reading *r, int64_t first, int64_t last, size_t most, bool brief,
                      struct text_scan *scan) {
    struct call *c = r->call;
    *scan = (struct text_scan){
        .label = r->label,
        .charset = call_text(c, "encoding"),
        .first = first,
        .last = last,
        .most = most,
        .brief = brief,
    };
    return scan_text(c->work.ws, &r->file, &c->work.budget, scan, &c->work.error);
}

static int check_first_line(struct call *c, const struct read_range *r, const struct text_scan *s) {
    int64_t lines = endings_lines(&s->endings);
    if (!s->complete || r->first <= lines || r->first == 1)
        return AQFS_OK;
    return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                "%s: expected a line of the file, which has %" PRId64 " line%s, not %" PRId64,
                call_arg(c, "ranges")->known ? "ranges"
                : r->by_offset               ? "offset"
                                             : "start_line",
                lines, lines == 1 ? "" : "s", r->by_offset ? r->first - 1 : r->first);
}

/* Sets the lines of a range that is counted from the end. */
static int count_back(struct file_reading *reading, struct read_range *r) {
    AUTO(text_scan_free) struct text_scan count;
    int code = scan_range(reading, 1, 0, 0, false, &count);
    int64_t lines = endings_lines(&count.endings);
    int64_t most = reading->call->work.ws->limits.read_lines;
    if (code)
        return code;
    r->first = r->back < lines ? lines - r->back + 1 : 1;
    r->last = r->first + (r->back < most ? r->back : most) - 1;
    return AQFS_OK;
}

/* -- the reply -------------------------------------------------------------------------------- */

static void write_version(struct call *c, const char *version) {
    if (version[0])
        buf_printf(&c->text, "[version %s]\n", version);
}

static void write_shown_range(struct call *c, const struct read_range *r,
                              const struct text_scan *s) {
    struct reply *out = &c->reply;
    if (!c->words)
        reply_kv_string(out, KEY_CONTENT, s->text.data, s->text.len);
    reply_kv_int(out, KEY_START_LINE, r->first);
    reply_kv_int(out, KEY_END_LINE, r->first + s->kept - 1);
}

static void write_reply(struct file_reading *reading, const struct read_range *r,
                        const struct text_scan *s) {
    struct call *c = reading->call;
    struct reply *out = &c->reply;
    const struct place *place = &reading->place;
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, place->root, place->path, place->len, &path);
    out->out.failed |= path.failed;
    reply_kv_path(out, KEY_PATH, path.data, path.len);
    reply_key(out, KEY_TOTAL_LINES);
    if (s->complete)
        reply_kv_int(out, NULL, endings_lines(&s->endings));
    else
        reply_null(out);
    reply_kv_int(out, KEY_OFFSET, r->first - 1);
    reply_kv_int(out, KEY_LIMIT, r->last - r->first + 1);
    reply_kv_cstring(out, KEY_VERSION, s->version[0] ? s->version : NULL);
    reply_kv_cstring(out, KEY_ENCODING, s->encoding.name);
    reply_kv_cstring(out, KEY_LINE_ENDINGS, endings_name(&s->endings));
    reply_kv_bool(out, KEY_BOM, s->encoding.mark > 0);
    reply_key(out, KEY_LINKS);
    if (reading->file.info.links > 1)
        reply_kv_int(out, NULL, reading->file.info.links);
    else
        reply_null(out);
    if (s->changed)
        reply_kv_bool(out, KEY_CHANGED, true);
}

/* -- what has changed since ----------------------------------------------------------------------
 */

/* Says that nothing has changed, or what has, since a version that the caller was shown. */
static void write_difference(struct file_reading *reading, const struct text_scan *now,
                             const struct buf *diff) {
    struct call *c = reading->call;
    write_reply(reading, &(struct read_range){.first = 1}, now);
    reply_kv_int(&c->reply, KEY_START_LINE, 1);
    reply_kv_int(&c->reply, KEY_END_LINE, 0);
    reply_kv_bool(&c->reply, KEY_TRUNCATED, false);
    reply_kv_bool(&c->reply, KEY_UNCHANGED, diff == NULL);
    if (!diff) {
        buf_str(&c->text, "[unchanged]\n");
        return;
    }
    reply_kv_string(&c->reply, KEY_DIFF, diff->data, diff->len);
    buf_add(&c->text, diff->data, diff->len);
    write_version(c, now->version);
}

/* Appends the hunks from what was shown as SINCE to NOW; nothing where that is not kept, or where
 * the hunks are no shorter than the text. */
static int add_what_changed(struct file_reading *reading, struct text_ref since,
                            const struct text_scan *now, struct buf *out) {
    struct call *c = reading->call;
    struct diff_stats stats;
    AUTO(buf_free) struct buf then = {0}, diff = {0};
    buf_str(&then, "");
    if (!shown_text_find(c->work.ws, c->work.caller, &reading->place, since, &then))
        return AQFS_OK;
    int code = diff_brief(&c->work.ws->libraries, (struct text_ref){then.data, then.len},
                          (struct text_ref){now->text.data, now->text.len}, now->text.len, &diff,
                          &stats, &c->work.error);
    if (!code && !stats.cut && diff.len < now->text.len)
        buf_add(out, diff.data ? diff.data : "", diff.len);
    return code;
}

/* Keeps the whole text for a later `since`, and answers this call's.  *DONE: it is answered. */
static int compare_with_shown(struct file_reading *reading, bool *done) {
    struct call *c = reading->call;
    const struct value *since = call_arg(c, "since");
    AUTO(text_scan_free) struct text_scan now;
    AUTO(buf_free) struct buf diff = {0};
    *done = false;
    int code = scan_range(reading, 1, INT64_MAX, SHOWN_TEXT_MOST, false, &now);
    if (code)
        return code;
    bool whole = now.complete && !now.cut && now.kept == endings_lines(&now.endings);
    if (since->known &&
        text_ref_equal(since->text, (struct text_ref){now.version, strlen(now.version)})) {
        *done = true;
        write_difference(reading, &now, NULL);
        return AQFS_OK;
    }
    if (since->known && whole)
        code = add_what_changed(reading, since->text, &now, &diff);
    if (!code && whole)
        shown_text_keep(c->work.ws, c->work.caller, &reading->place, now.version, &now.text);
    *done = !code && diff.len > 0;
    if (*done)
        write_difference(reading, &now, &diff);
    return code;
}

/* -- the operation ------------------------------------------------------------------------------
 */

static size_t data_most(const struct file_reading *reading) {
    const size_t most = reading->ranges.data_most;
    return most > 0 ? most : (size_t)reading->call->work.ws->limits.reply_bytes;
}

/* Reads and shows range number I.  *TRUNCATED: the reply does not show all of it. */
static int read_one_range(struct file_reading *reading, size_t i, bool *truncated) {
    struct call *c = reading->call;
    struct read_range *r = &reading->ranges.all[i];
    bool large = reading->file.info.size > c->work.ws->limits.read_bytes;
    AUTO(text_scan_free) struct text_scan scan = {0};
    int code = r->back > 0 ? count_back(reading, r) : AQFS_OK;
    code = code ? code
                : scan_range(reading, r->first, r->last, data_most(reading), r->explicit && large,
                             &scan);
    code = code ? code : check_first_line(c, r, &scan);
    if (code)
        return code;
    *truncated = *truncated || read_is_truncated(r, &scan);
    if (i == 0)
        write_reply(reading, r, &scan);
    if (i == 0 && reading->ranges.listed) {
        reply_key(&c->reply, KEY_RANGES);
        reply_list(&c->reply);
    }
    if (reading->ranges.listed)
        reply_map(&c->reply);
    write_shown_range(c, r, &scan);
    if (reading->ranges.listed)
        reply_end_map(&c->reply);
    read_show(c, &reading->ranges, r, &scan);
    r->last = r->first + scan.kept - 1;
    if (i + 1 == reading->ranges.n && (call_bool(c, "version") || call_arg(c, "since")->known))
        write_version(c, scan.version);
    return AQFS_OK;
}

static int read_all_ranges(struct file_reading *reading, bool *truncated) {
    struct call *c = reading->call;
    for (size_t i = 0; i < reading->ranges.n; i++) {
        int code = read_one_range(reading, i, truncated);
        if (code)
            return code;
    }
    const struct read_ranges *ranges = &reading->ranges;
    if (ranges->listed) {
        reply_end_list(&c->reply);
        reply_kv_int(&c->reply, KEY_START_LINE, ranges->all[0].first);
        reply_kv_int(&c->reply, KEY_END_LINE, ranges->all[ranges->n - 1].last);
    }
    reply_kv_bool(&c->reply, KEY_TRUNCATED, *truncated);
    return AQFS_OK;
}

static int may_read_named(struct file_reading *reading, struct text_ref path) {
    struct call *c = reading->call;
    const struct info *info = &reading->file.info;
    if (reading->ranges.words_most == 0)
        return call_may_read(c, &reading->place, info, path);
    if (!call_keeps_secrets(c) || !secret_of_place(&c->work, &reading->place, info))
        return AQFS_OK;
    (void)fail(&c->work.error, AQFS_APPROVAL_REQUIRED, "Path '%s' is secret", reading->label);
    error_hint(&c->work.error, "Read it alone, by path, so that somebody can approve of it");
    return AQFS_APPROVAL_REQUIRED;
}

int read_named_file(struct call *c, struct text_ref path, const struct read_ranges *ranges,
                    bool *truncated) {
    AUTO(file_reading_close) struct file_reading reading = {.call = c, .ranges = *ranges};
    bool done = false;
    *truncated = false;
    path_label(path.data, path.len, reading.label);
    int code = workspace_open_path(c->work.ws, path, OPEN_FILE, &reading.place, &reading.file,
                                   &c->work.error);
    code = code ? code : may_read_named(&reading, path);
    if (!code && (call_bool(c, "version") || call_arg(c, "since")->known) &&
        reading.file.info.size <= c->work.ws->limits.read_bytes)
        code = compare_with_shown(&reading, &done);
    return code || done ? code : read_all_ranges(&reading, truncated);
}

int op_read_file(struct call *c) {
    struct read_ranges ranges;
    bool truncated;
    int code = read_ranges_of(c, &ranges);
    if (code)
        return code;
    if (call_arg(c, "paths")->known)
        return read_several_files(c, &ranges);
    return read_named_file(c, call_text(c, "path"), &ranges, &truncated);
}
