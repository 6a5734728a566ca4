/* opened_edit.c -- an edit of a file: what it begins and ends with, whatever the edit.
 *
 * SPDX-License-Identifier: MIT
 */
#include "opened_edit.h"

#include "cleanup.h"
#include "ops.h"
#include "report.h"
#include "snippet.h"

#include <string.h>

/* Lines shown around what an edit made. */
#define CONTEXT 3

/* The file to edit, its bytes read and, where the caller says what it saw, compared. */
int open_edit(struct call *c, struct plan *p, struct change **out) {
    struct text_ref path = call_text(c, "path");
    const struct value *version = call_arg(c, "version");
    struct change *change = plan_add(p, CHANGE_WRITE);
    char label[PATH_LABEL];
    if (!change)
        return fail_memory(&c->work.error);
    change->given = path;
    change->edits = true;
    int code = plan_locate(&c->work, p, path, 0, &change->at, NULL);
    path_label(path.data, path.len, label);
    if (!code && change->at.type == NODE_DIRECTORY)
        return fail(&c->work.error, AQFS_IS_DIRECTORY, "Path '%s' is a directory", label);
    if (!code && change->at.type != NODE_FILE)
        return fail(&c->work.error, AQFS_NOT_REGULAR,
                    "Path '%s' is not a regular file (a device, FIFO or socket)", label);
    code = code ? code : plan_read(&c->work, change);
    if (code)
        return code;
    *out = change;
    if (!version->known)
        return AQFS_OK;
    const char *held = plan_held(change);
    if (version->text.len == strlen(held) &&
        memcmp(version->text.data, held, version->text.len) == 0)
        return AQFS_OK;
    return fail(&c->work.error, AQFS_STALE,
                "version: path '%s' has changed since it was read; it is now %s", label, held);
}

/* What the caller is shown: the lines that are new, with their numbers. */
static int show_spans(struct call *c, struct plan *p, const struct buf *text,
                      const struct span *spans, size_t n) {
    struct text_ref whole = {text->data ? text->data : "", text->len};
    struct line_range lines =
        snippet_add(&p->snippet, whole, spans, n, CONTEXT, (size_t)c->work.ws->limits.text_bytes);
    p->start_line = (int64_t)lines.first;
    p->end_line = (int64_t)lines.last;
    return p->snippet.failed ? fail_memory(&c->work.error) : AQFS_OK;
}

int finish_edit(struct call *c, struct plan *p, struct change *change, const struct textfile *file,
                struct buf *text, const struct span *spans, size_t n) {
    int code = show_spans(c, p, text, spans, n);
    if (!code && (int64_t)text->len > c->work.ws->limits.write_bytes)
        code = fail(&c->work.error, AQFS_TOO_LARGE, "The edit would make a file of %zu bytes",
                    text->len);
    return code ? code : textfile_store(&c->work, file, text, change);
}

void report_edit(struct call *c, const struct plan *p) {
    struct change *change = p->changes[0];
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, change->at.root, change->at.path, change->at.len, &path);
    reply_kv_path(&c->reply, "path", path.data, path.len);
    reply_kv_int(&c->reply, "start-line", p->start_line);
    reply_kv_int(&c->reply, "end-line", p->end_line);
    reply_kv_string(&c->reply, "snippet", p->snippet.data ? p->snippet.data : "", p->snippet.len);
    reply_kv_string(&c->reply, "diff", p->diff.data ? p->diff.data : "", p->diff.len);
    reply_kv_cstring(&c->reply, "version", plan_will_hold(change));
    reply_kv_int(&c->reply, "bytes-written", (int64_t)change->new_bytes.len);
    buf_str(&c->text, "Edited ");
    path_show_safe(&c->text, path.data, path.len);
    buf_printf(&c->text, ", lines %lld-%lld:\n", (long long)p->start_line, (long long)p->end_line);
    buf_add(&c->text, p->snippet.data ? p->snippet.data : "", p->snippet.len);
    report_links(c, change);
}
