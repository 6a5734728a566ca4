/* patch_apply.c -- applying one file of a patch to a text: see patch_apply.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_apply.h"

#include "lines.h"
#include "patch_locate.h"
#include "patch_mistake.h"
#include "path.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MARK "\xEF\xBB\xBF"
#define MARK_BYTES 3

/* The patch's old lines as evidence of the text that its author saw. */
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

/* Does LINE end in CRLF, or if it has no ending, the line before it? */
static bool is_crlf_line(const struct lined *text, size_t line) {
    if (!text->crlf || text->count == 0)
        return false;
    size_t n;
    const char *bytes = lined_bytes(text, line < text->count ? line : text->count - 1, &n);
    if (bytes[n - 1] != '\n')
        return text->count > 1 && is_crlf_line(text, text->count - 2);
    return n > 1 && bytes[n - 2] == '\r';
}

/* Ends the last line of the new text like LINE of the old one. */
static void end_line(struct writer *w, size_t line) {
    buf_str(&w->out->text, is_crlf_line(&w->where.text, line) ? "\r\n" : "\n");
    w->open = false;
}

/* Ends the line before.  Only the last line can lack its newline. */
static void begin_line(struct writer *w) {
    w->misled = w->misled || (w->open && w->last_added);
    if (w->open)
        end_line(w, SIZE_MAX);
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

/* Writes an added LINE, which gets the ending of the old line LIKE. */
static void write_added_line(struct writer *w, const struct patch_line *line, size_t like) {
    begin_line(w);
    buf_add(&w->out->text, line->text, line->n);
    w->lines++;
    w->out->added++;
    w->last_added = true;
    w->open = line->no_newline;
    if (!w->open)
        end_line(w, like);
}

/* Where the lines of a hunk stand, and the old lines that were removed one after the other before
 * the current line, with the lines that were added since. */
struct hunk_place {
    size_t first, end; /* the hunk's old lines */
    size_t from, to, added;
};

/* The old line whose ending an added line gets: the one that it replaces, else the hunk's line
 * before it, else the hunk's first line.  Where the hunk has no old lines, it is the line before
 * the place. */
static size_t line_to_follow(const struct hunk_place *p) {
    if (p->from + p->added < p->to)
        return p->from + p->added;
    return p->to > p->first || (p->end == p->first && p->to > 0) ? p->to - 1 : p->first;
}

static void write_changed_line(struct writer *w, const struct patch_line *line,
                               struct hunk_place *p) {
    if (line->op == '+') {
        write_added_line(w, line, line_to_follow(p));
        p->added++;
        return;
    }
    if (p->added > 0) {
        p->from = w->copied;
        p->added = 0;
    }
    p->to = ++w->copied;
    w->out->removed++;
}

static void write_context_line(struct writer *w, struct hunk_place *p) {
    write_kept_lines(w, w->copied + 1);
    p->from = p->to = w->copied;
    p->added = 0;
}

/* Copies context lines from the text, not from the patch, so that they keep all their bytes.  The
 * change recorded goes from the first changed line to the last. */
static void write_hunk(struct writer *w, const struct patch_hunk *h, size_t at) {
    struct patch_change change = {0};
    size_t old_end = at, new_end = 0;
    write_kept_lines(w, at);
    struct patch_line line;
    struct hunk_place place = {.first = at, .end = at + h->old_count, .from = at, .to = at};
    bool changed = false;
    for (const char *body = h->body; patch_next_line(h, &body, &line);) {
        w->marked = w->marked || line.no_newline;
        if (line.op == ' ') {
            write_context_line(w, &place);
            continue;
        }
        if (!changed)
            change = (struct patch_change){.old_start = w->copied + 1, .new_start = w->lines + 1};
        changed = true;
        write_changed_line(w, &line, &place);
        old_end = w->copied;
        new_end = w->lines;
    }
    change.old_count = old_end + 1 - change.old_start;
    change.new_count = new_end + 1 - change.new_start;
    if (changed)
        w->out->changes[w->out->change_count++] = change;
}

/* Envelopes hardly ever say whether the last line has a newline.  So it has one if the text's last
 * line had one. */
static void end_like_before(struct writer *w) {
    struct buf *text = &w->out->text;
    if (!w->last_added || w->marked || !w->where.text.no_newline)
        return;
    text->len -= text->len > 1 && w->where.text.crlf && text->data[text->len - 2] == '\r' ? 2 : 1;
    text->data[text->len] = '\0';
}

/* Does the text have the content of LINE, apart from white space around it? */
static bool has_trimmed_line(const struct lined *text, const struct patch_line *line) {
    const char *wanted = line->text;
    size_t wanted_n = line->n;
    patch_trim(&wanted, &wanted_n);
    for (size_t i = 0; i < text->count; i++) {
        size_t n;
        const char *content = lined_content(text, i, &n);
        patch_trim(&content, &n);
        if (n == wanted_n && memcmp(content, wanted, n) == 0)
            return true;
    }
    return false;
}

/* A document may show code that is left out, and means it. */
static bool is_document(const char *path) {
    static const char *const endings[] = {".md",  ".markdown", ".mdx",  ".org", ".rst",
                                          ".txt", ".adoc",     ".html", ".tex", ".texi"};
    const char *dot = strrchr(path, '.');
    bool is = false;
    for (size_t i = 0; dot && i < sizeof endings / sizeof *endings && !is; i++)
        is = strcasecmp(dot, endings[i]) == 0;
    return is;
}

/* Fails if an added line says that it stands for text that was left out, and the file has no such
 * line: the text would be lost. */
static int refuse_left_out(const struct writer *w, const struct patch_hunk *h, struct error *e) {
    char path[PATH_LABEL], label[PATCH_LABEL];
    const char *name = patch_path(w->where.file);
    struct patch_line line;
    if (is_document(name))
        return AQFS_OK;
    for (const char *at = h->body; patch_next_line(h, &at, &line);) {
        if (line.op != '+' || !patch_says_left_out(line.text, line.n) ||
            has_trimmed_line(&w->where.text, &line))
            continue;
        (void)fail(e, AQFS_PATCH_APPLY,
                   "%s: in the hunk at line %zu of the patch, an added line stands for text that "
                   "was left out: %s",
                   path_label(name, strlen(name), path), h->line,
                   patch_label(line.text, line.n, label));
        error_hint(e, "write that text itself, or if it stays, leave the line out and end the "
                      "hunk before it");
        return AQFS_PATCH_APPLY;
    }
    return AQFS_OK;
}

static int write_all(struct writer *w, struct error *e) {
    const struct patch_file *f = w->where.file;
    w->out->changes = calloc(f->hunk_count + 1, sizeof *w->out->changes);
    if (!w->out->changes)
        return fail_memory(e);
    for (size_t i = 0; i < f->hunk_count; i++) {
        size_t at;
        int code = refuse_left_out(w, &f->hunks[i], e);
        code = code ? code : locator_next(&w->where, &at);
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

/* Applies the hunks of FILE, one section, to TEXT. */
static int apply_section(const struct patch *patch, const struct patch_file *file, const char *text,
                         size_t n, struct patched *out, struct error *e) {
    bool deletes = file->action == PATCH_DELETE;
    struct endings endings = {0};
    endings_add(&endings, text, n);
    struct view view = view_of(file);
    bool crlf = !view.cr && (endings_are_crlf(&endings) || (endings.crlf > 0 && !view.added_cr));
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

/* The first section of FILE's hunks from number FROM on. */
static struct patch_file section_from(const struct patch_file *file, size_t from) {
    struct patch_file section = *file;
    section.hunks += from;
    section.hunk_count = from < file->hunk_count ? 1 : 0;
    while (from + section.hunk_count < file->hunk_count &&
           !section.hunks[section.hunk_count].begins_anew)
        section.hunk_count++;
    return section;
}

int patch_apply(const struct patch *patch, const struct patch_file *file, const char *text,
                size_t n, struct patched *out, struct error *e) {
    *out = (struct patched){0};
    if (file->action == PATCH_DELETE && patch->format == PATCH_ENVELOPE) {
        delete_all(text, n, out);
        return AQFS_OK;
    }
    struct patch_file section = section_from(file, 0);
    int code = apply_section(patch, &section, text, n, out, e);
    for (size_t next = section.hunk_count; code == AQFS_OK && next < file->hunk_count;
         next += section.hunk_count) {
        struct patched before = *out;
        *out = (struct patched){.added = before.added, .removed = before.removed};
        section = section_from(file, next);
        code = apply_section(patch, &section, before.text.data, before.text.len, out, e);
        patched_free(&before);
    }
    return code;
}

void patched_free(struct patched *out) {
    buf_free(&out->text);
    free(out->changes);
    *out = (struct patched){0};
}
