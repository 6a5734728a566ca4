/* patch_read.c -- reading the lines of a patch: see patch.h and patch_read.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_read.h"

#include "lines.h"
#include "path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

void patch_load_line(struct patch_reader *r) {
    r->done = r->next == r->end;
    r->line = r->next;
    r->next = cut_line(r->line, r->end, r->crlf, &r->n);
}

void patch_skip(struct patch_reader *r) {
    r->number++;
    patch_load_line(r);
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
