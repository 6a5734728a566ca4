/* replace.c -- exact edits of a text in memory, and the lines that they made: see replace.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replace.h"

#include "cleanup.h"
#include "lines.h"
#include "nearmiss.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* -- which edit it was ------------------------------------------------------------------------ */

/* Which of N edits it is, and how many were made to the text before it. */
struct edit_number {
    size_t index, n, applied;
};

/* The beginning of messages about one of several edits; empty when there is only one. */
struct label {
    char text[128];
};

static struct label label_of(const struct edit_number *number) {
    struct label label = {""};
    if (number->n < 2)
        return label;
    char about[64] = "";
    if (number->applied == 1)
        (void)snprintf(about, sizeof about, " (in the text that edit 1 leaves)");
    else if (number->applied > 1)
        (void)snprintf(about, sizeof about, " (in the text that edits 1-%zu leave)",
                       number->applied);
    (void)snprintf(label.text, sizeof label.text, "edit %zu of %zu%s: ", number->index + 1,
                   number->n, about);
    return label;
}

static int check(const struct edit *edit, const struct edit_number *number, struct error *e) {
    if (edit->old_str.len == 0) {
        (void)fail(e, AQFS_INVALID_ARGUMENT,
                   "%sold_str is empty: expected the exact text to replace", label_of(number).text);
        error_hint(e, "to add lines use insert_at_line");
        return AQFS_INVALID_ARGUMENT;
    }
    if (text_ref_equal(edit->old_str, edit->new_str))
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "%sold_str and new_str are the same: there is nothing to change",
                    label_of(number).text);
    return AQFS_OK;
}

/* -- several matches -------------------------------------------------------------------------- */

#define LINES_LISTED 10

struct matches {
    size_t count;
    size_t lines[LINES_LISTED]; /* the first ones, each line once */
    size_t listed;
    bool more;
};

static void add_match(struct matches *m, size_t line) {
    m->count++;
    if (m->listed > 0 && m->lines[m->listed - 1] == line)
        return;
    if (m->listed < LINES_LISTED)
        m->lines[m->listed++] = line;
    else
        m->more = true;
}

/* BORDERS[i] is the length of the longest proper prefix of NEEDLE that is also a suffix of its
 * first i + 1 bytes.  That much of a match remains when the next byte does not fit. */
static void find_borders(struct text_ref needle, size_t *borders) {
    borders[0] = 0;
    for (size_t i = 1, border = 0; i < needle.len; i++) {
        while (border > 0 && needle.data[i] != needle.data[border])
            border = borders[border - 1];
        border += needle.data[i] == needle.data[border];
        borders[i] = border;
    }
}

/* Counts the matches from offset START on, including overlapping ones, with the algorithm of Knuth,
 * Morris and Pratt.  A new search after each match would take time N * M for a long needle of equal
 * bytes. */
static void count_matches(struct text_ref text, size_t start, struct text_ref needle,
                          const size_t *borders, struct matches *m) {
    const size_t needle_lines = lines_count(needle.data, needle.len);
    size_t line = 1 + lines_count(text.data, start), matched = 0;
    for (size_t i = start; i < text.len; i++) {
        const char c = text.data[i];
        line += c == '\n';
        while (matched > 0 && c != needle.data[matched])
            matched = borders[matched - 1];
        matched += c == needle.data[matched];
        if (matched == needle.len) {
            add_match(m, line - needle_lines);
            matched = borders[matched - 1];
        }
    }
}

static int fail_multiple(struct text_ref text, size_t first, struct text_ref needle,
                         const struct edit_number *number, struct error *e) {
    AUTO_FREE size_t *borders = malloc(needle.len * sizeof *borders);
    if (!borders)
        return fail_memory(e);
    find_borders(needle, borders);
    struct matches m = {0};
    count_matches(text, first, needle, borders, &m);

    AUTO(buf_free) struct buf list = {0};
    for (size_t i = 0; i < m.listed; i++)
        buf_printf(&list, "%s%zu", i > 0 ? ", " : "", m.lines[i]);
    if (m.more)
        buf_str(&list, " and more");
    if (list.failed)
        return fail_memory(e);
    (void)fail(e, AQFS_MULTIPLE_MATCHES, "%sold_str occurs %zu times, on line%s %s",
               label_of(number).text, m.count, m.listed > 1 ? "s" : "", list.data);
    error_hint(e, "extend old_str with text around the intended place, until it occurs only once");
    return AQFS_MULTIPLE_MATCHES;
}

/* -- one match -------------------------------------------------------------------------------- */

static int find_only(struct text_ref text, const struct edit *edit,
                     const struct edit_number *number, size_t *at, struct error *e) {
    const struct text_ref needle = edit->old_str;
    const char *first =
        needle.len <= text.len ? memmem(text.data, text.len, needle.data, needle.len) : NULL;
    if (!first)
        return nearmiss_fail(text, edit->old_str, edit->new_str, label_of(number).text, e);
    size_t start = (size_t)(first - text.data);
    if (memmem(first + 1, text.len - start - 1, needle.data, needle.len))
        return fail_multiple(text, start, needle, number, e);
    *at = start;
    return AQFS_OK;
}

int replace_find(struct text_ref text, const struct edit *edit, size_t *at, struct error *e) {
    const struct edit_number only = {.n = 1};
    int code = check(edit, &only, e);
    return code ? code : find_only(text, edit, &only, at, e);
}

/* -- several edits ---------------------------------------------------------------------------- */

/* Replaces the range OLD with TEXT. */
static bool splice(struct buf *b, struct span old, struct text_ref text) {
    if (text.len > old.len && !buf_reserve(b, text.len - old.len))
        return false;
    char *place = b->data + old.at;
    memmove(place + text.len, place + old.len,
            b->len - old.at - old.len + 1); /* including the NUL */
    if (text.len > 0)
        memcpy(place, text.data, text.len);
    b->len += text.len - old.len;
    return true;
}

/* Records that ADDED bytes replaced REMOVED.  Moves the spans after it and joins those that it
 * touches. */
static void add_span(struct span *spans, size_t *count, struct span removed, size_t added) {
    const size_t removed_end = removed.at + removed.len;
    const size_t moved = added - removed.len; /* modulo 2^64, so it may be negative */
    size_t at = removed.at, end = removed_end, first = 0;
    while (first < *count && spans[first].at + spans[first].len < at)
        first++;
    size_t next = first;
    for (; next < *count && spans[next].at <= removed_end; next++) {
        const size_t span_end = spans[next].at + spans[next].len;
        at = spans[next].at < at ? spans[next].at : at;
        end = span_end > end ? span_end : end;
    }
    for (size_t i = next; i < *count; i++)
        spans[i].at += moved;
    memmove(spans + first + 1, spans + next, (*count - next) * sizeof *spans);
    spans[first] = (struct span){at, end - at + moved};
    *count = *count - (next - first) + 1;
}

/* Makes edit I of N.  The first edit copies TEXT to OUT; later edits change OUT. */
static int apply_one(struct text_ref text, const struct edit *edits, size_t i, size_t n,
                     struct buf *out, struct span *removed, struct error *e) {
    const struct edit_number number = {.index = i, .n = n, .applied = i};
    const struct edit *edit = &edits[i];
    const struct text_ref now = i == 0 ? text : (struct text_ref){out->data, out->len};
    size_t at = 0;
    int code = find_only(now, edit, &number, &at, e);
    if (code == AQFS_NO_MATCH && i > 0 &&
        memmem(text.data, text.len, edit->old_str.data, edit->old_str.len))
        error_hint(e,
                   "old_str occurred before the earlier edits: each edit must match the text that "
                   "the edits before it leave");
    if (code)
        return code;
    *removed = (struct span){at, edit->old_str.len};
    if (i > 0)
        return splice(out, *removed, edit->new_str) ? AQFS_OK : fail_memory(e);
    const size_t rest = at + edit->old_str.len;
    buf_reserve(out, text.len - edit->old_str.len + edit->new_str.len);
    buf_add(out, text.data, at);
    buf_add(out, edit->new_str.data, edit->new_str.len);
    buf_add(out, text.data + rest, text.len - rest);
    return out->failed ? fail_memory(e) : AQFS_OK;
}

int replace_apply(struct text_ref text, const struct edit *edits, size_t n, struct buf *out,
                  struct span *spans, size_t *span_count, struct error *e) {
    int code = n > 0 ? AQFS_OK
                     : fail(e, AQFS_INVALID_ARGUMENT, "edits is empty: expected at least one edit");
    for (size_t i = 0; i < n && !code; i++) {
        const struct edit_number number = {.index = i, .n = n};
        code = check(&edits[i], &number, e);
    }
    size_t count = 0;
    for (size_t i = 0; i < n && !code; i++) {
        struct span removed = {0};
        code = apply_one(text, edits, i, n, out, &removed, e);
        if (!code)
            add_span(spans, &count, removed, edits[i].new_str.len);
    }
    if (code)
        buf_clear(out);
    else
        *span_count = count;
    return code;
}

/* -- inserting lines -------------------------------------------------------------------------- */

/* Finds the offset at which the line after LINE begins. */
static int find_line(struct text_ref text, int64_t line, size_t *at, struct error *e) {
    const size_t lines = linewise_count(text.data, text.len);
    if (line < -1 || (line > 0 && (uint64_t)line > lines))
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "line: expected 0 (the beginning), -1 (the end) or a line of the text, which "
                    "has %zu line%s, not %" PRId64,
                    lines, lines == 1 ? "" : "s", line);
    *at = line == -1 ? text.len : linewise_below(text.data, text.len, 0, (size_t)line);
    return AQFS_OK;
}

int replace_insert(struct text_ref text, int64_t line, struct text_ref content, struct buf *out,
                   struct span *span, struct error *e) {
    if (content.len == 0) {
        (void)fail(e, AQFS_INVALID_ARGUMENT, "content is empty: there is nothing to insert");
        error_hint(e, "an empty line is \"\\n\"");
        return AQFS_INVALID_ARGUMENT;
    }
    if (text.len == 0)
        text.data = ""; /* data may be NULL, to which no offset may be added */
    size_t at = 0;
    int code = find_line(text, line, &at, e);
    if (code)
        return code;
    const bool joins = at > 0 && text.data[at - 1] != '\n'; /* an unfinished last line */
    const bool finish = content.data[content.len - 1] != '\n' && text.len > 0 && !joins;
    buf_reserve(out, text.len + content.len + 2);
    buf_add(out, text.data, at);
    buf_str(out, joins ? "\n" : "");
    buf_add(out, content.data, content.len);
    buf_str(out, finish ? "\n" : "");
    buf_add(out, text.data + at, text.len - at);
    if (out->failed)
        return fail_memory(e);
    *span = (struct span){at + joins, content.len + finish};
    return AQFS_OK;
}

/* -- showing what was made --------------------------------------------------------------------- */

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
