/* text.c -- lines, their endings, and how lines are shown: see text.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "text.h"
#include "utf8.h"

#include <string.h>

#define TAB_COLUMNS 8

void endings_add(struct endings *e, const char *text, size_t n) {
    if (n == 0)
        return;
    const char *end = text + n;
    if (e->last == '\r' && text[0] == '\n')
        e->crlf++;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(end - at))); at++)
        e->newlines++;
    for (const char *at = text; (at = memchr(at, '\r', (size_t)(end - at))); at++) {
        e->any_cr = true;
        e->crlf += at + 1 < end && at[1] == '\n';
    }
    e->bytes += (int64_t)n;
    e->last = end[-1];
}

int64_t endings_lines(const struct endings *e) {
    bool unfinished = e->bytes > 0 && e->last != '\n';
    return e->newlines + unfinished;
}

const char *endings_name(const struct endings *e) {
    if (e->newlines == 0)
        return e->any_cr ? "cr" : "none";
    if (e->crlf == 0)
        return "lf";
    return e->crlf == e->newlines ? "crlf" : "mixed";
}

bool endings_are_crlf(const struct endings *e) {
    return e->newlines > 0 && e->crlf == e->newlines;
}

size_t text_crlf_to_lf(char *text, size_t n) {
    size_t kept = 0;
    for (size_t at = 0; at < n;) {
        const char *cr = memchr(text + at + 1, '\r', n - at - 1);
        size_t next = cr ? (size_t)(cr - text) : n;
        if (text[at] == '\r' && at + 1 < n && text[at + 1] == '\n')
            at++;
        memmove(text + kept, text + at, next - at);
        kept += next - at;
        at = next;
    }
    return kept;
}

void text_add_crlf(struct buf *out, const char *text, size_t n) {
    const char *end = text + n;
    while (text < end) {
        const char *next = text_next_line(text, end);
        size_t length = (size_t)(next - text);
        if (next[-1] == '\n') {
            buf_add(out, text, length - 1);
            buf_add(out, "\r\n", 2);
        } else {
            buf_add(out, text, length);
        }
        text = next;
    }
}

const char *text_next_line(const char *line, const char *end) {
    const char *newline = line < end ? memchr(line, '\n', (size_t)(end - line)) : NULL;
    return newline ? newline + 1 : end;
}

size_t text_indentation(const char *line, size_t n) {
    size_t columns = 0;
    for (size_t i = 0; i < n && (line[i] == ' ' || line[i] == '\t'); i++)
        columns += line[i] == '\t' ? TAB_COLUMNS - columns % TAB_COLUMNS : 1;
    return columns;
}

/* The length of the first TEXT_LINE_MAX characters. */
static size_t shown_length(const char *line, size_t n) {
    if (n <= TEXT_LINE_MAX)
        return n;
    size_t characters = 0;
    for (size_t i = 0; i < n; i++) {
        bool starts = !utf8_is_continuation((unsigned char)line[i]);
        if (starts && characters++ == TEXT_LINE_MAX)
            return i;
    }
    return n;
}

void text_add_line(struct buf *out, const char *line, size_t n) {
    size_t shown = shown_length(line, n);
    buf_add(out, line, shown);
    if (shown < n)
        buf_str(out, "… [truncated line]");
}
