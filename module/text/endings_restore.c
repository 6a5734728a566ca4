/* endings_restore.c -- giving the lines of a text that was edited with LF their own endings back:
 * see endings_restore.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "endings_restore.h"

#include "cleanup.h"
#include "diff_changes.h"
#include "lines.h"

/* The three texts, each read from its beginning. */
struct endings_walk {
    const char *raw, *raw_end; /* the next line with its own ending */
    const char *new, *new_end; /* the next line to write */
    bool crlf;                 /* the ending of the last line that was met */
    struct buf *out;
};

/* Does the line of the raw text that R stands at end in CRLF?  The ending of the last line that has
 * one counts for an unfinished line, and for none. */
static bool next_is_crlf(const struct endings_walk *r) {
    const char *next = text_next_line(r->raw, r->raw_end);
    if (next == r->raw || next[-1] != '\n')
        return r->crlf;
    return next - r->raw > 1 && next[-2] == '\r';
}

static void skip_raw_line(struct endings_walk *r) {
    r->crlf = next_is_crlf(r);
    r->raw = text_next_line(r->raw, r->raw_end);
}

/* Writes the next new line with the ending that was met last. */
static void write_line(struct endings_walk *r) {
    const char *next = text_next_line(r->new, r->new_end);
    const bool broken = next > r->new &&next[-1] == '\n';
    buf_add(r->out, r->new, (size_t)(next - r->new) - broken);
    buf_str(r->out, !broken ? "" : r->crlf ? "\r\n" : "\n");
    r->new = next;
}

/* Lines that both texts have. */
static void keep_lines(struct endings_walk *r, size_t count) {
    for (size_t i = 0; i < count; i++) {
        skip_raw_line(r);
        write_line(r);
    }
}

static void replace_lines(struct endings_walk *r, size_t gone, size_t added, bool first) {
    if (first && gone == 0)
        r->crlf = next_is_crlf(r); /* no line stands before them */
    for (size_t i = 0; i < gone || i < added; i++) {
        if (i < gone)
            skip_raw_line(r);
        if (i < added)
            write_line(r);
    }
}

int endings_restore(struct libraries *libraries, struct text_ref raw, struct text_ref old,
                    struct text_ref new, struct buf *out, struct error *e) {
    struct changes changes = {0};
    struct endings_walk r = {.raw = raw.data, .new = new.data, .out = out};
    r.raw_end = r.raw + raw.len;
    r.new_end = r.new + new.len;
    int code = changes_find(libraries, old, new, &changes, e);
    size_t done = 0;
    for (size_t i = 0; i < changes.n && !code; i++) {
        const struct line_change *change = &changes.list[i];
        keep_lines(&r, change->old.line - done);
        replace_lines(&r, change->old.count, change->new.count, change->old.line == 0);
        done = change->old.line + change->old.count;
    }
    while (!code && r.new < r.new_end)
        keep_lines(&r, 1);
    changes_free(&changes);
    return code || !out->failed ? code : fail_memory(e);
}
