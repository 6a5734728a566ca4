/* SPDX-License-Identifier: MIT */
/* fuzz_unified.c -- what is read as a unified diff applies to a text that is made from it, and
 * makes of it the text that it shows. */
#include "fuzz.h"
#include "patch_apply.h"
#include "utf8.h"

#include <string.h>

#define LINES_MAX 2000

static void add_line(struct buf *out, const struct patch_line *line) {
    buf_add(out, line->text, line->n);
    if (!line->no_newline)
        buf_char(out, '\n');
}

/* Adds the lines of a hunk to both texts, and between hunks lines that are in neither; false where
 * that are too many. */
static bool add_hunk(const struct patch_hunk *h, size_t *at, struct buf *old, struct buf *new) {
    if (h->old_start > LINES_MAX)
        return false;
    bool inserts = h->old_count == 0; /* behind its line */
    for (; *at < h->old_start + inserts; ++*at) {
        buf_printf(old, "between %zu\n", *at);
        buf_printf(new, "between %zu\n", *at);
    }
    size_t old_count = 0, new_count = 0;
    struct patch_line line;
    for (const char *body = h->body; patch_next_line(h, &body, &line);) {
        PROMISE(line.op == ' ' || line.op == '-' || line.op == '+');
        PROMISE(!memchr(line.text, '\n', line.n));
        if (line.op != '+')
            add_line(old, &line);
        if (line.op != '-')
            add_line(new, &line);
        old_count += line.op != '+';
        new_count += line.op != '-';
    }
    PROMISE(old_count == h->old_count && new_count == h->new_count);
    PROMISE(h->anchor_count == 0 && !h->end_of_file);
    *at += old_count;
    return true;
}

/* A hunk without old lines has nothing to be placed by, but in a text that has none. */
static bool has_a_place(const struct patch_hunk *h, const struct buf *old) {
    return h->old_count > 0 || old->len == 0;
}

static bool ends_in_newline(const struct buf *text) {
    return text->len > 0 && text->data[text->len - 1] == '\n';
}

static void check_apply(const struct patch *patch, const struct patch_file *f) {
    struct buf old = {0}, new = {0};
    size_t at = 1;
    bool ok = true;
    for (size_t i = 0; i < f->hunk_count; i++)
        ok = ok && add_hunk(&f->hunks[i], &at, &old, &new);
    for (size_t i = 0; i < f->hunk_count; i++)
        ok = ok && has_a_place(&f->hunks[i], &old);
    if (f->action == PATCH_DELETE) /* all lines, or it does not apply */
        ok = ok && new.len == 0;
    bool whole = f->action == PATCH_ADD || f->action == PATCH_DELETE;
    if (ok && !whole && ends_in_newline(&old) && ends_in_newline(&new)) {
        buf_str(&old, "end");
        buf_str(&new, "end");
    }
    struct patched out;
    struct error e;
    int code = patch_apply(patch, f, old.data ? old.data : "", old.len, &out, &e);
    if (ok)
        PROMISE(code == AQFS_OK && out.text.len == new.len &&
                (new.len == 0 || memcmp(out.text.data, new.data, new.len) == 0));
    if (code != AQFS_OK)
        PROMISE(utf8_is_valid(e.message, strlen(e.message)));
    patched_free(&out);
    buf_free(&old);
    buf_free(&new);
}

static void check_file(const struct patch *patch, const struct patch_file *f) {
    PROMISE((f->old_path == NULL) == (f->action == PATCH_ADD));
    PROMISE((f->new_path == NULL) == (f->action == PATCH_DELETE));
    PROMISE(patch_path(f)[0] != '\0' && !strchr(patch_path(f), '\n'));
    bool moves = f->action == PATCH_RENAME || f->action == PATCH_COPY;
    if (f->old_path && f->new_path)
        PROMISE((strcmp(f->old_path, f->new_path) != 0) == moves);
    PROMISE(f->new_mode == 0 || f->new_mode == 0100644 || f->new_mode == 0100755);
    check_apply(patch, f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct patch patch;
    struct error e;
    const char *text = (const char *)data;
    int code = patch_read(text, size, PATCH_UNIFIED, &patch, &e);
    if (code != AQFS_OK) {
        PROMISE(code == AQFS_PATCH_PARSE && utf8_is_valid(e.message, strlen(e.message)));
        PROMISE(patch.file_count == 0 && patch.files == NULL);
        return 0;
    }
    PROMISE(patch.file_count > 0 && patch.format == PATCH_UNIFIED);
    for (size_t i = 0; i < patch.file_count; i++)
        check_file(&patch, &patch.files[i]);
    patch_free(&patch);
    return 0;
}
