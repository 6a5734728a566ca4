/* SPDX-License-Identifier: MIT */
/* random_trees.c -- random trees of text files, each a bit like the one before: see random_trees.h.
 */
#include "random_trees.h"

#include "path.h"
#include "sample.h"
#include "utf8.h"

#include <string.h>

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))

/* Names that patches have to quote or could misread. */
static const char *const names[] = {
    "a.c",         "a/x",       "b/x",        "b/a/x",         "src/main.c", "with space.txt",
    "two  spaces", "tab\there", "quo\"te",    "back\\slash",   "é/ü.txt",    "-- dash",
    "dev/null",    "a/b/a/b",   "new\nline2", " leading.txt",  "~/home",     "trailing ",
    "i/w",         "--- a/x",   "+++ b/x",    "rename from x", "\377.bin",   "@@ -1 +1 @@",
};

static const char *const lines[] = {
    "a",
    "b",
    "",
    "}",
    "    return x;",
    "\ttab",
    "--- a/x",
    "+++ b/x",
    "-- ",
    "--",
    "@@ -1 +1 @@",
    "diff --git a/x b/x",
    "\\ No",
    "+",
    "-",
    " ",
    "*** End Patch",
    "*** End of File",
    "form\ffeed",
    "lone\rCR",
    "u\u2028ls",
    "\u00a0",
    "\xEF\xBB\xBF",
    "caf\xe9",
    "trailing  ",
    "Binary files x and y differ",
    "EOF",
    "```",
    "GIT binary patch",
};

static uint64_t state = 20240607;

bool only_utf8 = false;

static uint32_t below(uint32_t limit) {
    return sample_below(&state, limit);
}

/* Random trees. */
enum style { LF, CRLF, MIXED };

static void add_line(struct buf *text, const char *line) {
    buf_str(text, only_utf8 && !utf8_is_valid(line, strlen(line)) ? "caf\u00e9" : line);
}

static void add_random_line(struct buf *text, enum style style) {
    if (below(3) == 0)
        buf_printf(text, "line %u", below(1000));
    else
        add_line(text, lines[below(COUNT(lines))]);
    bool crlf = style == CRLF || (style == MIXED && below(2) == 0);
    buf_str(text, crlf ? "\r\n" : "\n");
}

static void make_text(struct buf *text) {
    enum style style = below(8) == 0 ? MIXED : below(4) == 0 ? CRLF : LF;
    if (below(10) == 0)
        buf_str(text, "\xEF\xBB\xBF");
    for (uint32_t n = below(below(4) ? 12 : 80); n > 0; n--)
        add_random_line(text, style);
    if (below(5) == 0)
        buf_str(text, "no newline");
}

/* Appends OLD with some lines left out and some put in. */
static void edit_text(const struct buf *old, struct buf *text) {
    bool crlf = old->len > 1 && memmem(old->data, old->len, "\r\n", 2);
    const char *at = old->data, *end = at + old->len;
    uint32_t often = 2 + below(20);
    while (old->len > 0 && at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        if (below(often) == 0)
            add_random_line(text, crlf ? CRLF : LF);
        if (below(often) != 0)
            buf_add(text, at, (size_t)(next - at));
        at = next;
    }
    /* The last line may lose its newline, or get one or more behind it. */
    if (below(8) == 0 && text->len > 0 && text->data[text->len - 1] == '\n')
        text->data[--text->len] = '\0';
    else if (below(8) == 0)
        buf_str(text, "\nmore");
}

const struct file *find_file(const struct tree *t, const char *path) {
    for (size_t i = 0; i < t->count; i++) {
        if (strcmp(t->files[i].path, path) == 0)
            return &t->files[i];
    }
    return NULL;
}

/* A name that is free, and no directory of another or below one. */
static const char *free_name(const struct tree *t) {
    for (int tries = 0; tries < 100; tries++) {
        const char *name = names[below(COUNT(names))];
        size_t n = strlen(name);
        bool ok = !strchr(name, '\n');
        for (size_t i = 0; i < t->count && ok; i++) {
            const char *other = t->files[i].path;
            size_t m = strlen(other);
            ok = !path_is_below(name, n, other, m) && !path_is_below(other, m, name, n);
        }
        if (ok)
            return name;
    }
    return NULL;
}

void add_file(struct tree *t, const char *path, unsigned mode, const struct buf *text, bool edit) {
    if (!path || t->count == FILES_MAX)
        return;
    struct file *f = &t->files[t->count++];
    *f = (struct file){.path = path, .mode = mode};
    buf_str(&f->text, "");
    if (!text)
        make_text(&f->text);
    else if (edit)
        edit_text(text, &f->text);
    else
        buf_add(&f->text, text->data, text->len);
}

void next_tree(const struct tree *old, struct tree *new) {
    for (size_t i = 0; i < old->count; i++) {
        const struct file *f = &old->files[i];
        uint32_t dice = below(16);
        unsigned mode = below(12) == 0 ? f->mode ^ 0111 : f->mode;
        if (dice == 0)
            continue;
        if (dice == 1)
            add_file(new, find_file(new, f->path) ? NULL : free_name(old), mode, &f->text,
                     below(2));
        else if (!find_file(new, f->path))
            add_file(new, f->path, mode, &f->text, dice < 9);
        if (dice == 15)
            add_file(new, free_name(old), mode, &f->text, below(2));
    }
    /* Names that were taken meanwhile: the checks above are of the old tree. */
    for (size_t i = 0; i < new->count; i++) {
        for (size_t k = 0; k < i; k++) {
            const char *a = new->files[i].path, *b = new->files[k].path;
            size_t a_n = strlen(a), b_n = strlen(b);
            if (!path_is_below(a, a_n, b, b_n) && !path_is_below(b, b_n, a, a_n))
                continue;
            buf_free(&new->files[i].text);
            new->files[i--] = new->files[--new->count];
            break;
        }
    }
    while (new->count < 2 || (new->count < FILES_MAX / 2 && below(3) == 0))
        add_file(new, free_name(new), below(4) ? 0100644 : 0100755, NULL, false);
}

void free_tree(struct tree *t) {
    for (size_t i = 0; i < t->count; i++)
        buf_free(&t->files[i].text);
    t->count = 0;
}
