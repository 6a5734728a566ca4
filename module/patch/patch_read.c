/* patch_read.c -- reading the lines of a patch: see patch.h and patch_read.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_read.h"

#include "lines.h"
#include "path.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF"

void patch_trim(const char **text, size_t *n) {
    for (; *n > 0 && patch_is_space(**text); ++*text)
        --*n;
    while (*n > 0 && patch_is_space((*text)[*n - 1]))
        --*n;
}

/* Finds the end of the line at TEXT, and returns the beginning of the next line. */
static const char *cut_line(const char *text, const char *end, bool crlf, size_t *n) {
    const char *next = text_next_line(text, end);
    *n = (size_t)(next - text);
    if (*n > 0 && text[*n - 1] == '\n')
        --*n;
    if (crlf && *n > 0 && text[*n - 1] == '\r')
        --*n;
    return next;
}

static void load_line(struct patch_reader *r) {
    r->done = r->next == r->end;
    r->line = r->next;
    r->next = cut_line(r->line, r->end, r->crlf, &r->n);
}

void patch_skip(struct patch_reader *r) {
    r->number++;
    load_line(r);
}

bool patch_at(const struct patch_reader *r, const char *words) {
    return !r->done && patch_begins(r->line, r->n, words);
}

bool patch_before(const struct patch_reader *r, const char *words) {
    return patch_begins(r->next, (size_t)(r->end - r->next), words);
}

bool patch_at_blank(const struct patch_reader *r) {
    const char *line = r->line;
    size_t n = r->n;
    patch_trim(&line, &n);
    return !r->done && n == 0;
}

bool patch_next_line(const struct patch_hunk *hunk, const char **at, struct patch_line *line) {
    if (*at == hunk->end)
        return false;
    size_t n;
    const char *text = *at;
    *at = cut_line(text, hunk->end, hunk->crlf, &n);
    /* An empty context line may have lost its space on the way. */
    *line = (struct patch_line){.op = ' ', .text = text};
    if (n > 0)
        *line = (struct patch_line){.op = text[0], .text = text + 1, .n = n - 1};
    if (*at < hunk->end && **at == '\\') {
        line->no_newline = true;
        *at = text_next_line(*at, hunk->end);
    }
    return true;
}

int patch_fail(struct patch_reader *r, size_t number, const char *format, ...) {
    char words[sizeof r->error->message]; /* if this is cut, `fail` cuts between code points */
    va_list args;
    va_start(args, format);
    (void)vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return fail(r->error, AQFS_PATCH_PARSE, "line %zu of the patch: %s", number, words);
}

void *patch_grow(struct patch_reader *r, void *items, size_t count, size_t size) {
    bool full = (count & (count - 1)) == 0; /* the room is always a power of two */
    if (full) {
        void *room = arena_take(&r->patch->arena, (count ? 2 * count : 1) * size);
        if (!room) {
            (void)fail_memory(r->error);
            return NULL;
        }
        if (count > 0)
            memcpy(room, items, count * size);
        items = room;
    }
    memset((char *)items + count * size, 0, size);
    return items;
}

struct patch_file *patch_add_file(struct patch_reader *r) {
    struct patch *p = r->patch;
    struct patch_file *files = patch_grow(r, p->files, p->file_count, sizeof *files);
    if (!files)
        return NULL;
    p->files = files;
    files[p->file_count].line = r->number;
    return &files[p->file_count++];
}

struct patch_hunk *patch_add_hunk(struct patch_reader *r, struct patch_file *file) {
    struct patch_hunk *hunks = patch_grow(r, file->hunks, file->hunk_count, sizeof *hunks);
    if (!hunks)
        return NULL;
    file->hunks = hunks;
    hunks[file->hunk_count].line = r->number;
    hunks[file->hunk_count].crlf = r->crlf;
    return &hunks[file->hunk_count++];
}

size_t patch_quoted_length(const char *text, size_t n) {
    if (n == 0 || text[0] != '"')
        return 0;
    for (size_t i = 1; i < n; i++) {
        if (text[i] == '"')
            return i + 1;
        i += text[i] == '\\';
    }
    return 0;
}

/* Git quotes names with control characters; unquoted, they are damage. */
static bool has_control(const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if ((unsigned char)text[i] < 0x20 || text[i] == 0x7F)
            return true;
    }
    return false;
}

int patch_read_path(struct patch_reader *r, size_t number, const char *text, size_t n,
                    const char **path) {
    char bytes[PATH_BYTES_MAX + 1];
    size_t length;
    struct error e;
    if (has_control(text, n))
        return patch_fail(r, number, "the path contains a control character");
    if (path_accept(text, n, NULL, bytes, &length, &e) != AQFS_OK)
        return patch_fail(r, number, "%s", e.message);
    if (memchr(bytes, '\n', length))
        return patch_fail(r, number, "the path contains a newline");
    *path = arena_string(&r->patch->arena, bytes, length);
    return *path ? AQFS_OK : fail_memory(r->error);
}

const char *patch_path(const struct patch_file *file) {
    return file->new_path ? file->new_path : file->old_path;
}

/* A path that a file of the patch has, before the patch or after it. */

struct claim {
    const char *path;
    size_t line;
};

static int compare_claims(const void *a, const void *b) {
    const struct claim *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int check_claims(struct patch_reader *r, struct claim *claims, size_t n) {
    char label[PATH_LABEL];
    if (n > 0) /* qsort's pointer must not be NULL */
        qsort(claims, n, sizeof *claims, compare_claims);
    for (size_t i = 1; i < n; i++) {
        const struct claim *claim = &claims[i];
        if (strcmp(claim[-1].path, claim->path) == 0)
            return patch_fail(r, claim->line, "%s is changed a second time, first at line %zu",
                              path_label(claim->path, strlen(claim->path), label), claim[-1].line);
    }
    return AQFS_OK;
}

/* Checks the paths before the patch and those after it separately, because renames may swap names.
 */
static int check_files(struct patch_reader *r) {
    const struct patch *p = r->patch;
    if (p->file_count == 0)
        return fail(r->error, AQFS_PATCH_PARSE, "the patch changes no file");
    struct claim *claims = malloc(p->file_count * sizeof *claims);
    if (!claims)
        return fail_memory(r->error);
    size_t n = 0;
    for (size_t i = 0; i < p->file_count; i++) {
        const struct patch_file *f = &p->files[i];
        if (f->old_path && f->action != PATCH_COPY) /* a copy does not change its source */
            claims[n++] = (struct claim){.path = f->old_path, .line = f->line};
    }
    int code = check_claims(r, claims, n);
    if (code == AQFS_OK) {
        for (n = 0; n < p->file_count; n++)
            claims[n] = (struct claim){.path = patch_path(&p->files[n]), .line = p->files[n].line};
        code = check_claims(r, claims, n);
    }
    free(claims);
    return code;
}

static int read_patch_text(struct patch_reader *r, const char *text, size_t n) {
    struct endings endings = {0};
    endings_add(&endings, text, n);
    r->crlf = endings_are_crlf(&endings);
    r->next = patch_begins(text, n, BYTE_ORDER_MARK) ? text + strlen(BYTE_ORDER_MARK) : text;
    r->end = text + n;
    r->number = 1;
    load_line(r);
    /* Twice, for a here-document inside a fence. */
    int code = AQFS_OK;
    for (int layer = 0; layer < 2 && code == AQFS_OK; layer++)
        code = patch_unwrap(r);
    if (code == AQFS_OK)
        code = r->patch->format == PATCH_UNIFIED ? patch_read_unified(r) : patch_read_envelope(r);
    if (code == AQFS_OK && r->patch->format == PATCH_ENVELOPE)
        code = patch_join_sections(r);
    return code == AQFS_OK ? check_files(r) : code;
}

int patch_read(const char *text, size_t n, enum patch_format format, struct patch *patch,
               struct error *e) {
    *patch = (struct patch){.format = format == PATCH_AUTO ? patch_detect(text, n) : format};
    struct patch_reader r = {.patch = patch, .error = e};
    int code = read_patch_text(&r, text, n);
    if (code != AQFS_OK)
        patch_free(patch);
    return code;
}

void patch_free(struct patch *patch) {
    arena_free(&patch->arena);
    *patch = (struct patch){0};
}
