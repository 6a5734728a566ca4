/* SPDX-License-Identifier: MIT */
/* fuzz_envelope.c -- an envelope that is read applies, to a text that is made from it, nowhere but
 * where it must. */
#include "fuzz.h"
#include "patch_apply.h"
#include "utf8.h"

#include <string.h>

/* A hunk's lines as a text: the old ones or the new ones. */
static void add_lines(struct buf *out, const struct patch_hunk *h, char op, bool *no_newline) {
    struct patch_line line;
    for (const char *body = h->body; patch_next_line(h, &body, &line);) {
        PROMISE(line.op == ' ' || line.op == '-' || line.op == '+');
        if (line.op != ' ' && line.op != op)
            continue;
        buf_add(out, line.text, line.n);
        if (!line.no_newline)
            buf_char(out, '\n');
        *no_newline = *no_newline || line.no_newline;
    }
}

static size_t count_lines(const struct buf *text) {
    size_t count = 0;
    for (size_t i = 0; i < text->len; i++)
        count += text->data[i] == '\n' || i + 1 == text->len;
    return count;
}

/* Where line LINE of the text begins, from 1; behind the last, its end. */
static size_t line_start(const struct buf *text, size_t line) {
    size_t at = 0;
    while (at < text->len && --line > 0) {
        const char *newline = memchr(text->data + at, '\n', text->len - at);
        at = newline ? (size_t)(newline + 1 - text->data) : text->len;
    }
    return at;
}

/* Between changes, the texts are the same; a newline may have come or gone at the end. */
static void check_changes(const struct buf *old, const struct patched *out) {
    size_t old_line = 1, new_line = 1, added = 0, removed = 0;
    for (size_t i = 0; i <= out->change_count; i++) {
        bool last = i == out->change_count;
        const struct patch_change *c = &out->changes[i];
        size_t old_to = last ? count_lines(old) + 1 : c->old_start;
        size_t new_to = last ? count_lines(&out->text) + 1 : c->new_start;
        PROMISE(old_to >= old_line && new_to - new_line == old_to - old_line);
        size_t a = line_start(old, old_line), b = line_start(&out->text, new_line);
        size_t a_n = line_start(old, old_to) - a, b_n = line_start(&out->text, new_to) - b;
        size_t n = a_n < b_n ? a_n : b_n;
        PROMISE(a_n - n <= 2 && b_n - n <= 2);
        PROMISE(n == 0 || memcmp(old->data + a, out->text.data + b, n) == 0);
        if (last)
            break;
        old_line = old_to + c->old_count;
        new_line = new_to + c->new_count;
        added += c->new_count;
        removed += c->old_count;
    }
    PROMISE(added >= out->added && removed >= out->removed);
}

static void check_apply(const struct patch *patch, const struct patch_file *f) {
    struct buf old = {0}, new = {0};
    bool sure = true, no_newline = false;
    buf_str(&old, "");
    buf_str(&new, "");
    for (size_t i = 0; i < f->hunk_count; i++) {
        const struct patch_hunk *h = &f->hunks[i];
        for (size_t k = 0; k < h->anchor_count; k++)
            buf_printf(&old, "%.*s\n", (int)h->anchors[k].n, h->anchors[k].text);
        sure = sure && h->anchor_count == 0 && h->old_count > 0 && !no_newline;
        add_lines(&old, h, '-', &no_newline);
        add_lines(&new, h, '+', &no_newline);
        if (i + 1 < f->hunk_count && !h->end_of_file) {
            buf_printf(&old, "between %zu\n", i);
            buf_printf(&new, "between %zu\n", i);
        }
    }
    struct patched out;
    struct error e;
    int code = patch_apply(patch, f, old.data, old.len, &out, &e);
    if (code == AQFS_OK && f->action != PATCH_DELETE && out.text.len > 0)
        check_changes(&old, &out);
    if (code == AQFS_OK && sure)
        PROMISE(out.text.len == new.len &&
                (new.len == 0 || memcmp(out.text.data, new.data, new.len) == 0));
    if (code != AQFS_OK)
        PROMISE((code == AQFS_PATCH_APPLY || code == AQFS_LIMIT) &&
                utf8_is_valid(e.message, strlen(e.message)));
    patched_free(&out);
    buf_free(&old);
    buf_free(&new);
}

static void check_hunk(const struct patch_hunk *h) {
    struct patch_line line;
    size_t old_count = 0, new_count = 0;
    for (const char *body = h->body; patch_next_line(h, &body, &line);) {
        old_count += line.op != '+';
        new_count += line.op != '-';
    }
    PROMISE(old_count == h->old_count && new_count == h->new_count);
    PROMISE(old_count + new_count > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct patch patch;
    struct error e;
    const char *text = (const char *)data;
    int code = patch_read(text, size, PATCH_ENVELOPE, &patch, &e);
    if (code != AQFS_OK) {
        PROMISE(code == AQFS_PATCH_PARSE && utf8_is_valid(e.message, strlen(e.message)));
        return 0;
    }
    PROMISE(patch.file_count > 0 && patch.format == PATCH_ENVELOPE);
    PROMISE(patch_detect(text, size) == PATCH_ENVELOPE);
    for (size_t i = 0; i < patch.file_count; i++) {
        for (size_t k = 0; k < patch.files[i].hunk_count; k++)
            check_hunk(&patch.files[i].hunks[k]);
        check_apply(&patch, &patch.files[i]);
    }
    patch_free(&patch);
    return 0;
}
