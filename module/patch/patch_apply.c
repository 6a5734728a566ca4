/* patch_apply.c -- applying one file of a patch to a text: see patch_apply.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_apply.h"

#include "lines.h"
#include "patch_locate.h"
#include "path.h"

#include <stdlib.h>
#include <string.h>

#define MARK "\xEF\xBB\xBF"
#define MARK_BYTES 3

/* What the patch's old lines show about the text that its author saw. */
struct view {
    bool cr;       /* some line ends in CR */
    bool mark;     /* some line begins with a byte order mark */
    bool added_cr; /* some added line ends in CR */
};

static struct view view_of(const struct patch_file *file) {
    struct view view = {0};
    for (size_t i = 0; i < file->hunk_count; i++) {
        const struct patch_hunk *h = &file->hunks[i];
        struct patch_line line;
        for (const char *at = h->body; patch_next_line(h, &at, &line);) {
            bool cr = line.n > 0 && line.text[line.n - 1] == '\r';
            if (line.op == '+')
                view.added_cr = view.added_cr || cr;
            else
                view.cr = view.cr || cr;
            if (line.op != '+' && line.n >= MARK_BYTES)
                view.mark = view.mark || memcmp(line.text, MARK, MARK_BYTES) == 0;
        }
    }
    return view;
}

static int refuse_file(const struct patch_file *file, struct error *e, const char *words) {
    char label[PATH_LABEL];
    return fail(e, AQFS_PATCH_APPLY, "%s: the patch does not fit: %s",
                path_label(patch_path(file), strlen(patch_path(file)), label), words);
}

struct writer {
    struct locator where;
    struct patched *out;
    size_t copied;   /* lines of the old text that were kept or removed */
    size_t lines;    /* of the new text */
    bool last_added; /* its last line was added by the patch */
    bool open;       /* its last line has no newline */
    bool marked;     /* the patch marks lines without newline... */
    bool misled;     /* ...and one of them is not the last line */
};

static void end_line(struct writer *w) {
    buf_str(&w->out->text, w->where.text.crlf ? "\r\n" : "\n");
    w->open = false;
}

/* Ends the line before.  Only the last line can lack its newline. */
static void begin_line(struct writer *w) {
    w->misled = w->misled || (w->open && w->last_added);
    if (w->open)
        end_line(w);
}

static void write_kept_lines(struct writer *w, size_t to) {
    const struct lined *text = &w->where.text;
    if (to == w->copied)
        return;
    begin_line(w);
    buf_add(&w->out->text, text->text + text->starts[w->copied],
            text->starts[to] - text->starts[w->copied]);
    w->lines += to - w->copied;
    w->copied = to;
    w->last_added = false;
    w->open = text->no_newline && to == text->count;
}

static void write_added_line(struct writer *w, const struct patch_line *line) {
    begin_line(w);
    buf_add(&w->out->text, line->text, line->n);
    w->lines++;
    w->last_added = true;
    w->open = line->no_newline;
    if (!w->open)
        end_line(w);
}

/* Copies context lines from the text, not from the patch, so that they keep all their bytes.  The
 * change recorded goes from the first changed line to the last. */
static void write_hunk(struct writer *w, const struct patch_hunk *h, size_t at) {
    struct patch_change *change = &w->out->changes[w->out->change_count++];
    size_t old = at, old_end = at, new_end = 0;
    write_kept_lines(w, at);
    struct patch_line line;
    bool changed = false;
    for (const char *body = h->body; patch_next_line(h, &body, &line);) {
        w->marked = w->marked || line.no_newline;
        if (line.op == ' ') {
            write_kept_lines(w, ++old);
            continue;
        }
        if (!changed)
            *change = (struct patch_change){.old_start = old + 1, .new_start = w->lines + 1};
        changed = true;
        if (line.op == '+') {
            write_added_line(w, &line);
            w->out->added++;
        } else {
            w->copied = ++old;
            w->out->removed++;
        }
        old_end = old;
        new_end = w->lines;
    }
    change->old_count = old_end + 1 - change->old_start;
    change->new_count = new_end + 1 - change->new_start;
}

/* Envelopes hardly ever say whether the last line has a newline.  So it has one if the text's last
 * line had one. */
static void end_like_before(struct writer *w) {
    struct buf *text = &w->out->text;
    if (!w->last_added || w->marked || !w->where.text.no_newline)
        return;
    text->len -= w->where.text.crlf ? 2 : 1;
    text->data[text->len] = '\0';
}

static int write_all(struct writer *w, struct error *e) {
    const struct patch_file *f = w->where.file;
    w->out->changes = calloc(f->hunk_count + 1, sizeof *w->out->changes);
    if (!w->out->changes)
        return fail_memory(e);
    for (size_t i = 0; i < f->hunk_count; i++) {
        size_t at;
        int code = locator_next(&w->where, &at);
        if (code != AQFS_OK)
            return code;
        write_hunk(w, &f->hunks[i], at);
    }
    write_kept_lines(w, w->where.text.count);
    if (w->misled)
        return refuse_file(f, e, "an added line has no newline, but is not the last line");
    if (w->out->text.failed)
        return fail_memory(e);
    if (w->where.patch->format == PATCH_ENVELOPE)
        end_like_before(w);
    return AQFS_OK;
}

static int check_deleted(const struct writer *w, struct error *e) {
    if (w->lines == 0)
        return AQFS_OK;
    char label[PATH_LABEL];
    const char *path = w->where.file->old_path;
    return fail(e, AQFS_PATCH_APPLY,
                "%s: the patch deletes the file and shows %zu of its lines, but it has %zu more",
                path_label(path, strlen(path), label), w->out->removed, w->lines);
}

/* An envelope deletes a file whatever the file holds. */
static void delete_all(const char *text, size_t n, struct patched *out) {
    struct endings endings = {0};
    endings_add(&endings, text, n);
    out->removed = (size_t)endings_lines(&endings);
}

int patch_apply(const struct patch *patch, const struct patch_file *file, const char *text,
                size_t n, struct patched *out, struct error *e) {
    *out = (struct patched){0};
    bool deletes = file->action == PATCH_DELETE;
    if (deletes && patch->format == PATCH_ENVELOPE) {
        delete_all(text, n, out);
        return AQFS_OK;
    }
    struct endings endings = {0};
    endings_add(&endings, text, n);
    struct view view = view_of(file);
    bool crlf = endings_are_crlf(&endings) && !view.cr;
    if (crlf && view.added_cr)
        return refuse_file(file, e, "its added lines end in CR, but its context lines do not");
    size_t mark = !view.mark && n >= 3 && memcmp(text, MARK, MARK_BYTES) == 0 ? MARK_BYTES : 0;
    buf_add(&out->text, deletes ? "" : text, deletes ? 0 : mark);

    struct writer w = {.out = out};
    int code = locator_open(&w.where, patch, file, text + mark, n - mark, crlf, e);
    if (code == AQFS_OK)
        code = write_all(&w, e);
    if (code == AQFS_OK && deletes)
        code = check_deleted(&w, e);
    locator_close(&w.where);
    return code;
}

void patched_free(struct patched *out) {
    buf_free(&out->text);
    free(out->changes);
    *out = (struct patched){0};
}
