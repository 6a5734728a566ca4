/* edit_file.c -- edit_file, and the steps that it shares with insert_at_line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "edit.h"
#include "named_thing.h"
#include "ops.h"

#include <string.h>

/* Unchanged lines shown before and after what an edit made. */
#define CONTEXT 3

/* -- shared with insert_at_line ---------------------------------------------------------------- */

/* AQFS_STALE unless VERSION is that of the bytes that CHANGE's file has now. */
static int check_version(struct call *c, struct change *change, struct text_ref version) {
    const char *held = plan_held(change);
    char label[PATH_LABEL];
    if (version.len == strlen(held) && memcmp(version.data, held, version.len) == 0)
        return AQFS_OK;
    return fail(&c->work.error, AQFS_STALE,
                "version: path '%s' has changed since it was read; it is now %s",
                path_label(change->given.data, change->given.len, label), held);
}

int open_edit(struct call *c, struct plan *p, struct change **out) {
    struct text_ref path = call_text(c, "path");
    const struct value *version = call_arg(c, "version");
    struct change *change = plan_add(p, CHANGE_WRITE);
    if (!change)
        return fail_memory(&c->work.error);
    change->given = path;
    change->edits = true;
    *out = change;
    int code = plan_locate(&c->work, p, path, 0, &change->at, NULL);
    if (code)
        return code;
    if (change->at.type != NODE_FILE)
        return fail_not_file(c, path, change->at.type);
    code = plan_read(&c->work, change);
    return code || !version->known ? code : check_version(c, change, version->text);
}

int finish_edit(struct call *c, struct plan *p, struct change *change, const struct textfile *file,
                struct buf *text, const struct span *spans, size_t n) {
    const struct limits *limits = &c->work.ws->limits;
    struct text_ref whole = {text->data ? text->data : "", text->len};
    struct line_range lines =
        snippet_add(&p->snippet, whole, spans, n, CONTEXT, (size_t)limits->text_bytes);
    p->start_line = (int64_t)lines.first;
    p->end_line = (int64_t)lines.last;
    if (p->snippet.failed)
        return fail_memory(&c->work.error);
    if ((int64_t)text->len > limits->write_bytes)
        return fail(&c->work.error, AQFS_TOO_LARGE, "The edit would make a file of %zu bytes",
                    text->len);
    return textfile_store(&c->work, file, text, change);
}

void report_edit(struct call *c, const struct plan *p) {
    struct change *change = p->changes[0];
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, change->at.root, change->at.path, change->at.len, &path);
    reply_kv_path(&c->reply, KEY_PATH, path.data, path.len);
    reply_kv_int(&c->reply, KEY_START_LINE, p->start_line);
    reply_kv_int(&c->reply, KEY_END_LINE, p->end_line);
    reply_kv_string(&c->reply, KEY_SNIPPET, p->snippet.data ? p->snippet.data : "", p->snippet.len);
    reply_kv_string(&c->reply, KEY_DIFF, p->diff.data ? p->diff.data : "", p->diff.len);
    reply_kv_cstring(&c->reply, KEY_VERSION, plan_will_hold(change));
    reply_kv_int(&c->reply, KEY_BYTES_WRITTEN, (int64_t)change->new_bytes.len);
    buf_str(&c->text, "Edited ");
    path_show_safe(&c->text, path.data, path.len);
    buf_printf(&c->text, ", lines %lld-%lld:\n", (long long)p->start_line, (long long)p->end_line);
    buf_add(&c->text, p->snippet.data ? p->snippet.data : "", p->snippet.len);
    report_links(c, change);
}

/* -- edit_file --------------------------------------------------------------------------------- */

struct edits {
    struct edit *edits;
    struct buf *texts;  /* the edits point to them; they have the file's line endings */
    struct span *spans; /* of the new text, once the edits are applied */
    size_t n;
};

static void edits_free(struct edits *e) {
    for (size_t i = 0; e->texts && i < 2 * e->n; i++)
        buf_free(&e->texts[i]);
    free(e->texts);
    free(e->edits);
    free(e->spans);
}

/* The arguments `edits`, or `old_str` and `new_str`, as edits of FILE. */
static int take_edits(struct call *c, const struct textfile *file, struct edits *out) {
    const struct value *list = call_arg(c, "edits");
    const struct value *old_str = call_arg(c, "old_str"), *new_str = call_arg(c, "new_str");
    const struct text_ref one[2] = {old_str->text, new_str->text};
    if (list->known == (old_str->known || new_str->known) ||
        (!list->known && old_str->known != new_str->known))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "Give either old_str and new_str, or edits, not both");
    out->n = list->known ? list->count / 2 : 1;
    out->edits = calloc(out->n, sizeof *out->edits);
    out->texts = calloc(2 * out->n, sizeof *out->texts);
    out->spans = calloc(out->n + 1, sizeof *out->spans);
    if (!out->edits || !out->texts || !out->spans)
        return fail_memory(&c->work.error);
    const struct text_ref *given = list->known ? list->list : one;
    for (size_t i = 0; i < out->n; i++, given += 2) {
        struct buf *old = &out->texts[2 * i], *new = old + 1;
        int code = textfile_accept(&c->work, file, given[0], old);
        code = code ? code : textfile_accept(&c->work, file, given[1], new);
        if (code)
            return code;
        out->edits[i] = (struct edit){.old_str = {old->data ? old->data : "", old->len},
                                      .new_str = {new->data ? new->data : "", new->len}};
    }
    return AQFS_OK;
}

int plan_edit_file(struct call *c, struct plan *p) {
    AUTO(textfile_free) struct textfile file = {0};
    AUTO(edits_free) struct edits edits = {0};
    AUTO(buf_free) struct buf text = {0};
    struct change *change = NULL;
    size_t n = 0;
    int code = open_edit(c, p, &change);
    code = code ? code : textfile_load(&c->work, change, &file);
    code = code ? code : take_edits(c, &file, &edits);
    if (code)
        return code;
    struct text_ref before = {file.text.data ? file.text.data : "", file.text.len};
    code = replace_apply(before, edits.edits, edits.n, &text, edits.spans, &n, &c->work.error);
    return code ? code : finish_edit(c, p, change, &file, &text, edits.spans, n);
}
