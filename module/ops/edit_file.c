/* edit.c -- edit_file and insert_at_line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "ops.h"
#include "replace.h"
#include "report.h"
#include "snippet.h"
#include "textfile.h"

#include <string.h>

/* Lines shown around what an edit made. */
#define CONTEXT 3

/* The file to edit, its bytes read and, where the caller says what it saw, compared. */
static int open_change(struct call *c, struct plan *p, struct change **out) {
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

static int finish_edit(struct call *c, struct plan *p, struct change *change,
                       const struct textfile *file, struct buf *text, const struct span *spans,
                       size_t n) {
    int code = show_spans(c, p, text, spans, n);
    if (!code && (int64_t)text->len > c->work.ws->limits.write_bytes)
        code = fail(&c->work.error, AQFS_TOO_LARGE, "The edit would make a file of %zu bytes",
                    text->len);
    return code ? code : textfile_store(&c->work, file, text, change);
}

/* -- edit_file -------------------------------------------------------------------------------- */

struct edits {
    struct edit *edits;
    struct buf *texts; /* what they point to, in the file's line endings */
    size_t n;
};

static void edits_free(struct edits *e) {
    for (size_t i = 0; e->texts && i < 2 * e->n; i++)
        buf_free(&e->texts[i]);
    free(e->texts);
    free(e->edits);
}

static int take_edit(struct call *c, const struct textfile *file, const struct text_ref given[2],
                     struct edits *out, size_t i) {
    struct buf *old = &out->texts[2 * i], *new = old + 1;
    int code = textfile_accept(&c->work, file, given[0], old);
    code = code ? code : textfile_accept(&c->work, file, given[1], new);
    out->edits[i] = (struct edit){.old_str = {old->data ? old->data : "", old->len},
                                  .new_str = {new->data ? new->data : "", new->len}};
    return code;
}

static int take_edits(struct call *c, const struct textfile *file, struct edits *out) {
    const struct value *list = call_arg(c, "edits");
    const struct value *old = call_arg(c, "old_str"), *new = call_arg(c, "new_str");
    struct text_ref one[2] = {old->text, new->text};
    if (list->known == (old->known || new->known) || (!list->known && old->known != new->known))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "Give either old_str and new_str, or edits, not both");
    out->n = list->known ? list->count / 2 : 1;
    out->edits = calloc(out->n, sizeof *out->edits);
    out->texts = calloc(2 * out->n, sizeof *out->texts);
    if (!out->edits || !out->texts)
        return fail_memory(&c->work.error);
    for (size_t i = 0; i < out->n; i++) {
        int code = take_edit(c, file, list->known ? list->list + 2 * i : one, out, i);
        if (code)
            return code;
    }
    return AQFS_OK;
}

int plan_edit_file(struct call *c, struct plan *p) {
    AUTO(textfile_free) struct textfile file = {0};
    AUTO(edits_free) struct edits edits = {0};
    AUTO(buf_free) struct buf text = {0};
    struct change *change = NULL;
    int code = open_change(c, p, &change);
    code = code ? code : textfile_load(&c->work, change, &file);
    code = code ? code : take_edits(c, &file, &edits);
    if (code)
        return code;
    AUTO_FREE struct span *spans = calloc(edits.n + 1, sizeof *spans);
    size_t n = 0;
    if (!spans)
        return fail_memory(&c->work.error);
    struct text_ref before = {file.text.data ? file.text.data : "", file.text.len};
    code = replace_apply(before, edits.edits, edits.n, &text, spans, &n, &c->work.error);
    return code ? code : finish_edit(c, p, change, &file, &text, spans, n);
}

/* -- insert_at_line --------------------------------------------------------------------------- */

int plan_insert_at_line(struct call *c, struct plan *p) {
    AUTO(textfile_free) struct textfile file = {0};
    AUTO(buf_free) struct buf text = {0}, content = {0};
    struct change *change = NULL;
    struct span span;
    int code = open_change(c, p, &change);
    code = code ? code : textfile_load(&c->work, change, &file);
    code = code ? code : textfile_accept(&c->work, &file, call_text(c, "content"), &content);
    if (code)
        return code;
    struct text_ref before = {file.text.data ? file.text.data : "", file.text.len};
    struct text_ref added = {content.data ? content.data : "", content.len};
    code = replace_insert(before, call_int(c, "line"), added, &text, &span, &c->work.error);
    return code ? code : finish_edit(c, p, change, &file, &text, &span, 1);
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
