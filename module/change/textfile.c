/* textfile.c -- a file's bytes as text to edit, and back again.
 *
 * SPDX-License-Identifier: MIT
 */
#include "textfile.h"

#include "cleanup.h"
#include "endings_restore.h"
#include "lines.h"
#include "utf8.h"

#include <string.h>

int textfile_load(struct work *work, const struct change *change, struct textfile *out) {
    const char *bytes = change->old_bytes.data ? change->old_bytes.data : "";
    size_t n = change->old_bytes.len;
    AUTO(buf_free) struct buf label = {0};
    struct endings endings = {0};
    place_show(work->ws, change->at.root, change->at.path, change->at.len, &label);
    if (label.failed)
        return fail_memory(&work->error);
    /* Most files are valid UTF-8, which is seen in one pass. */
    bool valid = !encoding_of_mark(bytes, n, &out->encoding) && !encoding_is_binary(bytes, n) &&
                 utf8_is_valid(bytes, n);
    int code = valid ? AQFS_OK
                     : encoding_detect(&work->ws->libraries, label.data, (struct text_ref){0},
                                       bytes, n, &out->encoding, &work->error);
    if (code)
        return code;
    if (n > 0)
        endings_add(&endings, bytes, n);
    if (valid && !endings_are_crlf(&endings)) {
        out->mixed = endings.crlf > 0;
        out->text = change->old_bytes;
        out->borrowed = true;
        return AQFS_OK;
    }
    endings = (struct endings){0};
    code = encoding_decode(&out->encoding, bytes, n, &out->text, &work->error);
    if (code)
        return code;
    if (!encoding_is_utf8(&out->encoding))
        code = encoding_returns(&out->encoding, bytes, n, out->text.data ? out->text.data : "",
                                out->text.len, &work->error);
    if (out->text.len > 0)
        endings_add(&endings, out->text.data, out->text.len);
    out->crlf = endings_are_crlf(&endings);
    out->mixed = endings.crlf > 0 && !out->crlf;
    if (out->crlf && out->text.data) {
        out->text.len = text_crlf_to_lf(out->text.data, out->text.len);
        out->text.data[out->text.len] = '\0';
    }
    return code;
}

int textfile_load_new(struct work *work, const struct change *change, struct textfile *out) {
    struct change written = *change;
    written.old_bytes = change->new_bytes;
    return textfile_load(work, &written, out);
}

bool textfile_is_like(const struct textfile *a, const struct textfile *b) {
    return strcmp(a->encoding.name, b->encoding.name) == 0 &&
           a->encoding.mark == b->encoding.mark && a->crlf == b->crlf && a->mixed == b->mixed;
}

bool textfile_unify(struct textfile *file) {
    if (!file->mixed || file->unified)
        return true;
    struct buf text = {0};
    buf_add(&text, file->text.data, file->text.len);
    if (text.failed)
        return false;
    text.len = text_crlf_to_lf(text.data, text.len);
    text.data[text.len] = '\0';
    file->raw = file->text;
    file->text = text;
    file->unified = true;
    return true;
}

int textfile_check(struct work *work, struct text_ref given) {
    if (given.len == 0)
        return AQFS_OK;
    if (memchr(given.data, '\0', given.len))
        return fail(&work->error, AQFS_INVALID_ARGUMENT,
                    "The text has a NUL character, with which a file is no longer text");
    const struct backend *backend = work->ws->backend;
    size_t characters = backend->accept_content ? utf8_count(given.data, given.len) : 0;
    return characters > 0 ? backend->accept_content(work->ws, characters, &work->error) : AQFS_OK;
}

int textfile_accept(struct work *work, const struct textfile *file, struct text_ref given,
                    struct buf *out) {
    int code = textfile_check(work, given);
    if (code)
        return code;
    buf_add(out, given.data, given.len);
    if (out->failed)
        return fail_memory(&work->error);
    if ((file->crlf || file->unified) && out->len > 0) {
        out->len = text_crlf_to_lf(out->data, out->len);
        out->data[out->len] = '\0';
    }
    return AQFS_OK;
}

static struct text_ref whole_of(const struct buf *text) {
    return (struct text_ref){text->data ? text->data : "", text->len};
}

/* Gives the lines of TEXT, made from a unified one, the endings that they had. */
static int restore_endings(struct work *work, const struct textfile *file, struct buf *text) {
    struct buf restored = {0};
    int code = endings_restore(&work->ws->libraries, whole_of(&file->raw), whole_of(&file->text),
                               whole_of(text), &restored, &work->error);
    buf_free(code ? &restored : text);
    if (!code)
        *text = restored;
    return code;
}

int textfile_store(struct work *work, const struct textfile *file, struct buf *text,
                   struct change *change) {
    AUTO(buf_free) struct buf crlf = {0}, bytes = {0};
    int restored = file->unified ? restore_endings(work, file, text) : AQFS_OK;
    if (restored)
        return restored;
    if (encoding_is_utf8(&file->encoding) && file->encoding.mark == 0 && !file->crlf) {
        /* Both the file and what callers give are UTF-8. */
        change->utf8 = true;
        return plan_set_bytes(work, change, text);
    }
    if (file->crlf)
        text_add_crlf(&crlf, text->data ? text->data : "", text->len);
    const struct buf *whole = file->crlf ? &crlf : text;
    if (whole->failed)
        return fail_memory(&work->error);
    int code = encoding_encode(&file->encoding, whole->data ? whole->data : "", whole->len, &bytes,
                               &work->error);
    code = code ? code : plan_set_bytes(work, change, &bytes);
    if (code)
        return code;
    /* The diff is of the text: what was edited, and what a person can read. */
    const struct buf *old = file->unified ? &file->raw : &file->text;
    buf_add(&change->old_text, old->data ? old->data : "", old->len);
    change->new_text = *text;
    *text = (struct buf){0};
    return change->old_text.failed ? fail_memory(&work->error) : AQFS_OK;
}

void textfile_free(struct textfile *file) {
    struct buf *own = file->unified ? &file->raw : &file->text;
    if (file->unified)
        buf_free(&file->text);
    if (!file->borrowed)
        buf_free(own);
}
