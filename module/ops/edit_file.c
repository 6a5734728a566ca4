/* edit_file.c -- edit_file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "opened_edit.h"
#include "ops.h"

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
    int code = open_edit(c, p, &change);
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
