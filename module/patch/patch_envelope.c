/* patch_envelope.c -- reading envelopes.
 *
 *     *** Begin Patch
 *     *** Add File: a.txt              every line of the file after a +
 *     +text
 *     *** Update File: b.txt
 *     *** Move to: c.txt               optional
 *     @@ class A                       where: any number of lines that stand above, or a bare @@
 *      context                         a hunk of context alone only leads to the next one
 *     -old
 *     +new
 *     *** End of File                  optional: the hunk's lines are the last ones
 *     *** Delete File: d.txt
 *     *** End Patch
 *
 * Markers may have white space around them, and blank lines may stand between
 * the parts.  A line that begins with a space is context wherever a hunk can go
 * on, even when a marker follows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_read.h"

#include <string.h>

/* Does the line begin with WORDS, apart from surrounding white space?  REST is what follows them.
 */
static bool at_marker(const struct patch_reader *r, const char *words, const char **rest,
                      size_t *n) {
    const char *line = r->line;
    size_t length = r->n, words_n = strlen(words);
    patch_trim(&line, &length);
    if (r->done || !patch_begins(line, length, words))
        return false;
    *rest = line + words_n;
    *n = length - words_n;
    patch_trim(rest, n);
    return true;
}

static bool at_bare_marker(const struct patch_reader *r, const char *words) {
    const char *rest;
    size_t n;
    return at_marker(r, words, &rest, &n) && n == 0;
}

static void skip_blank(struct patch_reader *r) {
    while (patch_at_blank(r))
        patch_skip(r);
}

/* Does not skip lines of spaces, which are empty context lines. */
static void skip_empty(struct patch_reader *r) {
    while (!r->done && r->n == 0)
        patch_skip(r);
}

static int fail_line(struct patch_reader *r, const char *what) {
    char label[PATCH_LABEL];
    return patch_fail(r, r->number, "%s: %s", what, patch_label(r->line, r->n, label));
}

/* The state of reading a hunk. */
struct envelope_progress {
    size_t led;       /* empty lines before its first line */
    size_t bare;      /* empty lines among its lines, which are empty context lines or mistakes */
    size_t after;     /* empty lines since its last line, which belong to it only if another line
                         follows */
    const char *last; /* the end of its last line */
    char op;
    bool added, removed;
    bool old_ended, new_ended; /* by a line without newline */
};

static void count(struct patch_hunk *h, char op, size_t lines) {
    h->old_count += op == '+' ? 0 : lines;
    h->new_count += op == '-' ? 0 : lines;
}

static void keep_blank_lines(struct patch_hunk *h, struct envelope_progress *p) {
    count(h, ' ', p->after);
    p->bare += p->after;
    p->after = 0;
}

/* Reads `\ No newline at end of file`.  The format does not have it, but it can mean only one
 * thing. */
static int read_envelope_marker(struct patch_reader *r, struct envelope_progress *p) {
    if (!patch_at(r, "\\ ") || p->op == '\0' || p->op == '\\' || p->after > 0)
        return fail_line(r, "a \\ line may only follow a hunk's line");
    p->old_ended = p->old_ended || p->op != '+';
    p->new_ended = p->new_ended || p->op != '-';
    p->op = '\\';
    p->last = r->next;
    patch_skip(r);
    return AQFS_OK;
}

/* Only counts an empty line.  When another line of the hunk follows, it was an empty context line;
 * otherwise it stood after the hunk. */
static int read_envelope_line(struct patch_reader *r, struct patch_hunk *h,
                              struct envelope_progress *p) {
    if (r->n == 0) {
        p->after++;
        patch_skip(r);
        return AQFS_OK;
    }
    char op = r->line[0];
    if (op == '\\')
        return read_envelope_marker(r, p);
    keep_blank_lines(h, p);
    if ((op != '+' && p->old_ended) || (op != '-' && p->new_ended))
        return fail_line(r, "a line after one that has no newline");
    count(h, op, 1);
    p->op = op;
    p->added = p->added || op == '+';
    p->removed = p->removed || op == '-';
    p->last = r->next;
    patch_skip(r);
    return AQFS_OK;
}

static bool at_hunk_line(const struct patch_reader *r) {
    char op = !r->done && r->n > 0 ? r->line[0] : ' ';
    return !r->done && (op == ' ' || op == '+' || op == '-' || op == '\\');
}

/* Reads the lines of a hunk, which must not be empty lines only.  Passes empty lines after it. */
static int read_lines(struct patch_reader *r, struct patch_hunk *h, struct envelope_progress *p) {
    for (; !r->done && r->n == 0; patch_skip(r))
        p->led++;
    h->body = r->line;
    p->last = r->line;
    int code = AQFS_OK;
    while (code == AQFS_OK && at_hunk_line(r))
        code = read_envelope_line(r, h, p);
    return code;
}

static int read_anchor(struct patch_reader *r, struct patch_hunk *h) {
    const char *text = r->line + 2;
    size_t n = r->n - 2;
    if (n > 0 && text[0] != ' ' && text[0] != '\t')
        return fail_line(r, "a space is expected after @@");
    patch_trim(&text, &n);
    if (n > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9')
        return fail_line(r, "an envelope's hunk has no line numbers: write @@ alone, or @@ and a "
                            "line of the file that stands above");
    patch_skip(r);
    if (n == 0)
        return AQFS_OK;
    if (h->anchor_count == PATCH_ANCHORS_MAX)
        return patch_fail(r, r->number - 1, "more than %d anchors", PATCH_ANCHORS_MAX);
    struct patch_anchor *anchors = patch_grow(r, h->anchors, h->anchor_count, sizeof *anchors);
    if (!anchors)
        return fail_memory(r->error);
    h->anchors = anchors;
    anchors[h->anchor_count++] = (struct patch_anchor){text, n};
    return AQFS_OK;
}

static int check_hunk(struct patch_reader *r, const struct patch_hunk *h,
                      const struct envelope_progress *p) {
    if (h->body == p->last)
        return patch_fail(r, h->line, "the hunk has no lines");
    /* An empty line that is the only context may as well be there for looks. */
    bool only_bare = h->old_count == p->bare && p->led + p->bare > 0;
    if (only_bare)
        return patch_fail(r, h->line,
                          "the hunk's only context is an empty line; begin it with a space");
    return AQFS_OK;
}

static int read_envelope_hunk(struct patch_reader *r, struct patch_file *f) {
    const char *rest;
    size_t n;
    struct envelope_progress p = {0};
    if (f->hunk_count > 0 && f->hunks[f->hunk_count - 1].end_of_file)
        return fail_line(r, "nothing can follow the end of the file");
    struct patch_hunk *h = patch_add_hunk(r, f);
    if (!h)
        return fail_memory(r->error);
    int code = AQFS_OK;
    while (code == AQFS_OK && patch_at(r, "@@"))
        code = read_anchor(r, h);
    if (code)
        return code;
    code = read_lines(r, h, &p);
    if (code)
        return code;
    if (at_marker(r, "*** End of File", &rest, &n)) {
        if (n > 0)
            return fail_line(r, "text after the marker");
        /* An empty line before this marker is hardly there for looks.  But after a line without
         * newline there is none. */
        if (h->body != p.last && !p.old_ended && !p.new_ended) {
            keep_blank_lines(h, &p);
            p.last = r->line;
        }
        h->end_of_file = true;
        patch_skip(r);
    }
    h->end = p.last;
    h->is_anchor = !p.added && !p.removed;
    return check_hunk(r, h, &p);
}

static bool changes_nothing(const struct patch_file *f) {
    size_t anchors = 0;
    while (anchors < f->hunk_count && f->hunks[anchors].is_anchor)
        anchors++;
    return anchors == f->hunk_count && f->action == PATCH_MODIFY;
}

static int check_update(struct patch_reader *r, const struct patch_file *f) {
    const char *rest;
    size_t n;
    if (!changes_nothing(f))
        return AQFS_OK;
    if (f->hunk_count == 0 && !r->done && !at_marker(r, "***", &rest, &n))
        return fail_line(r, "a hunk is expected");
    return patch_fail(r, f->line, "the section has no %s and changes nothing",
                      f->hunk_count > 0 ? "line that begins with - or +" : "hunk");
}

static int read_update(struct patch_reader *r, struct patch_file *f) {
    const char *rest;
    size_t n;
    f->action = PATCH_MODIFY;
    f->new_path = f->old_path;
    skip_empty(r);
    if (!patch_at(r, " ") && at_marker(r, "*** Move to:", &rest, &n)) {
        int code = patch_read_path(r, r->number, rest, n, &f->new_path);
        if (code != AQFS_OK)
            return code;
        if (strcmp(f->old_path, f->new_path) == 0)
            return patch_fail(r, r->number, "the file is moved to its own name");
        f->action = PATCH_RENAME;
        patch_skip(r);
    }
    for (;;) {
        bool first = f->hunk_count == 0; /* the first hunk needs no @@ */
        skip_empty(r);
        if (!patch_at(r, "@@") && !(first && at_hunk_line(r)))
            break;
        int code = read_envelope_hunk(r, f);
        if (code != AQFS_OK)
            return code;
    }
    return check_update(r, f);
}

static int read_add(struct patch_reader *r, struct patch_file *f) {
    struct envelope_progress p = {0};
    f->action = PATCH_ADD;
    f->new_path = f->old_path;
    f->old_path = NULL;
    if (!patch_at(r, "+"))
        return AQFS_OK; /* it adds an empty file */
    struct patch_hunk *h = patch_add_hunk(r, f);
    if (!h)
        return fail_memory(r->error);
    h->body = r->line;
    int code = AQFS_OK;
    while (code == AQFS_OK && (patch_at(r, "+") || patch_at(r, "\\")))
        code = read_envelope_line(r, h, &p);
    h->end = p.last;
    return code;
}

static int read_envelope_section(struct patch_reader *r) {
    static const char *const markers[] = {"*** Add File:", "*** Update File:", "*** Delete File:"};
    size_t kind = 0, n = 0;
    const char *rest = NULL;
    while (kind < 3 && !at_marker(r, markers[kind], &rest, &n))
        kind++;
    if (kind == 3) {
        (void)fail_line(r, "this does not begin a section");
        error_hint(r->error,
                   "a section begins with *** Add File: PATH, *** Update File: PATH or "
                   "*** Delete File: PATH; lines of a hunk begin with a space, - or +, those "
                   "of an added file with +");
        return AQFS_PATCH_PARSE;
    }
    struct patch_file *f = patch_add_file(r);
    if (!f)
        return fail_memory(r->error);
    int code = patch_read_path(r, r->number, rest, n, &f->old_path);
    if (code != AQFS_OK)
        return code;
    patch_skip(r);
    if (kind == 0)
        return read_add(r, f);
    if (kind == 1)
        return read_update(r, f);
    f->action = PATCH_DELETE;
    return AQFS_OK;
}

/* Cuts off the last line, which ends the patch however it is indented.  Elsewhere a space makes it
 * a context line. */
static bool cut_end(struct patch_reader *r) {
    struct patch_reader last = *r;
    while (last.end > r->line && patch_is_space(last.end[-1]))
        last.end--;
    const char *newline =
        last.end > r->line ? memrchr(r->line, '\n', (size_t)(last.end - r->line)) : NULL;
    if (!newline)
        return false;
    last.line = newline + 1;
    last.n = (size_t)(last.end - last.line);
    if (!at_bare_marker(&last, "*** End Patch"))
        return false;
    r->end = last.line;
    return true;
}

int patch_read_envelope(struct patch_reader *r) {
    skip_blank(r);
    if (!at_bare_marker(r, "*** Begin Patch"))
        return fail_line(r, "*** Begin Patch is expected");
    bool ended = cut_end(r);
    patch_skip(r);
    int code = AQFS_OK;
    for (skip_blank(r); code == AQFS_OK && !r->done; skip_blank(r)) {
        if (at_bare_marker(r, "*** End Patch"))
            return patch_fail(r, r->number, "there is text after *** End Patch");
        code = read_envelope_section(r);
    }
    if (code == AQFS_OK && !ended)
        return patch_fail(r, r->number, "*** End Patch is missing");
    return code;
}
