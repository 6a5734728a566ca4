/* lines.c -- lines of a text: see lines.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lines.h"

#include "utf8.h"

#include <string.h>

#define TAB_COLUMNS 8

/* -- endings ---------------------------------------------------------------------------------- */

void endings_add(struct endings *e, const char *text, size_t n) {
    if (n == 0)
        return;
    const char *end = text + n;
    if (e->last == '\r' && text[0] == '\n')
        e->crlf++;
    e->newlines += (int64_t)lines_count(text, n);
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

/* -- one line --------------------------------------------------------------------------------- */

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

void text_add_line(struct buf *out, const char *line, size_t n) {
    size_t shown = n <= TEXT_LINE_MAX ? n : 0, characters = 0;
    for (; shown < n; shown++) {
        bool starts = !utf8_is_continuation((unsigned char)line[shown]);
        if (starts && characters++ == TEXT_LINE_MAX)
            break;
    }
    buf_add(out, line, shown);
    if (shown < n)
        buf_str(out, "… [truncated line]");
}

/* Goes from the last end of a line within a longest line to the next such. */
bool text_lines_are_short(const char *text, size_t n) {
    while (n > TEXT_LINE_MAX) {
        const char *newline = memrchr(text, '\n', TEXT_LINE_MAX + 1);
        if (!newline)
            return false;
        n -= (size_t)(newline + 1 - text);
        text = newline + 1;
    }
    return true;
}

/* -- counting, and moving from line to line ---------------------------------------------------- */

#define LANES 16
typedef unsigned char bytes __attribute__((vector_size(LANES), aligned(1), may_alias));
typedef uint16_t halves __attribute__((vector_size(LANES), aligned(1), may_alias));

/* A lane of eight bits counts no further than this. */
#define ROUNDS_MOST 255

static size_t sum_lanes(bytes lanes) {
    halves pairs = ((halves)lanes & 0xFF) + ((halves)lanes >> 8);
    size_t total = 0;
    for (size_t i = 0; i < LANES / sizeof(uint16_t); i++)
        total += pairs[i];
    return total;
}

/* Adds up comparisons of 16 bytes at a time: a call of memchr for each line would be slower,
 * because lines are short. */
size_t lines_count(const char *text, size_t n) {
    size_t count = 0, at = 0;
    while (n - at >= LANES) {
        size_t rounds = (n - at) / LANES;
        rounds = rounds < ROUNDS_MOST ? rounds : ROUNDS_MOST;
        bytes lanes = {0};
        for (; rounds > 0; rounds--, at += LANES)
            lanes -= (bytes)(*(const bytes *)(const void *)(text + at) == '\n'); /* true is -1 */
        count += sum_lanes(lanes);
    }
    for (; at < n; at++)
        count += text[at] == '\n';
    return count;
}

size_t linewise_count(const char *text, size_t n) {
    return lines_count(text, n) + (n > 0 && text[n - 1] != '\n');
}

size_t linewise_start(const char *text, size_t at) {
    const char *newline = at > 0 ? memrchr(text, '\n', at) : NULL;
    return newline ? (size_t)(newline - text) + 1 : 0;
}

size_t linewise_above(const char *text, size_t at, size_t count) {
    while (count-- > 0 && at > 0)
        at = linewise_start(text, at - 1);
    return at;
}

size_t linewise_below(const char *text, size_t n, size_t at, size_t count) {
    const char *line = text + at;
    while (count-- > 0 && line < text + n)
        line = text_next_line(line, text + n);
    return (size_t)(line - text);
}

#define PIECE 512 /* memcmp says that two pieces differ, but not where */
#define WORD sizeof(uint64_t)

static uint64_t word_at(const char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

size_t common_head(const char *a, const char *b, size_t n) {
    size_t same = 0;
    while (n - same >= PIECE && memcmp(a + same, b + same, PIECE) == 0)
        same += PIECE;
    while (n - same >= WORD && word_at(a + same) == word_at(b + same))
        same += WORD;
    while (same < n && a[same] == b[same])
        same++;
    return same;
}

size_t common_tail(const char *a_end, const char *b_end, size_t n) {
    size_t same = 0;
    while (n - same >= PIECE && memcmp(a_end - same - PIECE, b_end - same - PIECE, PIECE) == 0)
        same += PIECE;
    while (n - same >= WORD && word_at(a_end - same - WORD) == word_at(b_end - same - WORD))
        same += WORD;
    while (same < n && a_end[-1 - (ptrdiff_t)same] == b_end[-1 - (ptrdiff_t)same])
        same++;
    return same;
}
