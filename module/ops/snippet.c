/* snippet.c -- the lines that edits made, to show: see snippet.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snippet.h"

#include <stdint.h>

/* Room for the last line of a snippet that is cut. */
#define MARK_BYTES 64

/* Only moves down the text, so each line is counted once. */
struct line_cursor {
    struct text_ref text;
    size_t at;   /* where a line begins */
    size_t line; /* its number */
};

/* Moves to the line that holds AT, which must not be above the cursor. */
static void cursor_move(struct line_cursor *c, size_t at) {
    size_t start = linewise_start(c->text.data, at);
    if (start == c->text.len && start > 0)
        start = linewise_start(c->text.data, start - 1); /* no line follows the last newline */
    if (start <= c->at)
        return;
    c->line += lines_count(c->text.data + c->at, start - c->at);
    c->at = start;
}

/* Lines that are shown together: those of a span, its context, and further spans that these reach.
 */
struct stretch {
    size_t at; /* where its first line begins */
    struct line_range lines;
};

/* The lines of SPAN, which OWN receives, with CONTEXT lines around them. */
static struct stretch stretch_of(struct line_cursor *c, const struct span *span, size_t context,
                                 struct line_range *own) {
    cursor_move(c, span->at);
    const size_t above = c->line - 1 < context ? c->line - 1 : context;
    struct stretch s = {.at = linewise_above(c->text.data, c->at, above)};
    own->first = c->line;
    if (span->len > 0)
        cursor_move(c, span->at + span->len - 1);
    own->last = c->line;
    s.lines.first = own->first - above;
    s.lines.last = own->last + context; /* may be beyond the end */
    return s;
}

/* False when the room is used up; then a last line says where to continue. */
static bool show_stretch(struct buf *out, size_t most, struct text_ref text,
                         const struct stretch *s) {
    const char *line = text.data + s->at, *end = text.data + text.len;
    for (size_t number = s->lines.first; number <= s->lines.last && line < end; number++) {
        const char *next = text_next_line(line, end);
        const size_t before = out->len, ended = next[-1] == '\n';
        buf_printf(out, "%6zu\t", number);
        text_add_line(out, line, (size_t)(next - line) - ended);
        buf_str(out, "\n");
        if (out->len > most && !out->failed) {
            out->data[out->len = before] = '\0';
            buf_printf(out, "[truncated: continue at line %zu]\n", number);
            return false;
        }
        line = next;
    }
    return true;
}

struct line_range snippet_add(struct buf *out, struct text_ref text, const struct span *spans,
                              size_t n, size_t context, size_t limit) {
    if (n == 0 || text.len == 0)
        return (struct line_range){0, 0};
    limit = limit < SIZE_MAX / 2 ? limit : SIZE_MAX / 2; /* keeps the sum below from wrapping */
    const size_t most = out->len + (limit > MARK_BYTES ? limit - MARK_BYTES : 0);
    struct line_cursor cursor = {.text = text, .line = 1};
    struct line_range all, own;
    struct stretch shown = stretch_of(&cursor, &spans[0], context, &all);
    bool fits = true;
    for (size_t i = 1; i < n; i++) {
        struct stretch next = stretch_of(&cursor, &spans[i], context, &own);
        all.last = own.last;
        if (next.lines.first <= shown.lines.last + 1) {
            shown.lines.last = next.lines.last;
            continue;
        }
        fits = fits && show_stretch(out, most, text, &shown);
        if (fits)
            buf_str(out, "...\n");
        shown = next;
    }
    if (fits)
        (void)show_stretch(out, most, text, &shown);
    return all;
}
