/* diff.c -- a unified diff: see diff.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "diff.h"

#include "cleanup.h"
#include "diff_changes.h"
#include "heading.h"
#include "lines.h"
#include "path.h"
#include "utf8.h"

#include <string.h>

/* Room for the last line of a diff that is cut. */
#define MARK_BYTES 96

struct printer {
    struct buf *out;
    size_t most; /* bytes in OUT */
    bool cut;
    size_t shown; /* changed lines */
    struct text_ref old, new;
    const struct changes *changes;
    struct headings headings; /* of the old text: the lines that hunk headers end in */
    size_t context;           /* lines around a change */
    bool brief;               /* hunks without headings */
};

/* -- names ------------------------------------------------------------------------------------ */

static void add_header_name(struct buf *out, const char *mark, const char *side,
                            struct text_ref path) {
    buf_str(out, mark);
    if (!path.data) {
        buf_str(out, "/dev/null\n");
        return;
    }
    AUTO(buf_free) struct buf name = {0};
    buf_str(&name, side);
    buf_add(&name, path.data, path.len);
    if (name.failed) {
        out->failed = true;
        return;
    }
    path_show_safe(out, name.data, name.len);
    /* patch reads what follows a space as a date, unless a tab comes first. */
    buf_str(out, memchr(name.data, ' ', name.len) ? "\t\n" : "\n");
}

/* -- hunks ------------------------------------------------------------------------------------ */

/* Changes that are so near to each other that they share context. */
struct hunk {
    size_t first, last; /* in the list of changes */
    struct line_span old, new;
};

/* The hunk that begins with change FIRST. */
static struct hunk gather_hunk(const struct printer *p, size_t first) {
    const struct line_change *list = p->changes->list;
    const struct line_span *from = &list[first].old;
    struct hunk h = {.first = first, .last = first};
    while (h.last + 1 < p->changes->n &&
           list[h.last + 1].old.line - list[h.last].old.line - list[h.last].old.count <=
               2 * p->context)
        h.last++;
    const struct line_span *to = &list[h.last].old, *new_to = &list[h.last].new;

    const size_t above = from->line < p->context ? from->line : p->context;
    const size_t behind = to->at + to->len;
    const size_t end = linewise_below(p->old.data, p->old.len, behind, p->context);
    const size_t below = linewise_count(p->old.data + behind, end - behind);
    h.old.at = linewise_above(p->old.data, from->at, above);
    h.old.len = end - h.old.at;
    h.old.line = from->line - above;
    h.old.count = to->line + to->count + below - h.old.line;
    h.new.line = list[first].new.line - above;
    h.new.count = new_to->line + new_to->count + below - h.new.line;
    return h;
}

static void add_range(struct buf *out, size_t line, size_t count) {
    buf_printf(out, "%zu", count > 0 ? line + 1 : line);
    if (count != 1)
        buf_printf(out, ",%zu", count);
}

/* Adds lines with SIGN in front until the room is used up.  Returns how many. */
static size_t add_signed_lines(struct printer *p, char sign, struct text_ref text, size_t at,
                               size_t len) {
    static const char unfinished[] = "\n\\ No newline at end of file\n";
    size_t added = 0;
    const char *line = text.data + at;
    for (const char *end = line + len; line < end && !p->cut; added++) {
        const char *next = text_next_line(line, end);
        const size_t n = (size_t)(next - line);
        if (p->out->len + 1 + n + sizeof unfinished > p->most) {
            p->cut = true;
            return added;
        }
        buf_add(p->out, &sign, 1);
        buf_add(p->out, line, n);
        if (next[-1] != '\n')
            buf_str(p->out, unfinished);
        line = next;
    }
    return added;
}

static void add_hunk(struct printer *p, const struct hunk *h) {
    if (p->out->len + 2 * HEADING_BYTES > p->most) {
        p->cut = true;
        return;
    }
    buf_str(p->out, "@@ -");
    add_range(p->out, h->old.line, h->old.count);
    buf_str(p->out, " +");
    add_range(p->out, h->new.line, h->new.count);
    buf_str(p->out, " @@");
    const struct line_span *from = &p->changes->list[h->first].old;
    struct span heading = {0};
    if (!p->brief)
        heading = heading_find(&p->headings, from->at, from->count, from->line - h->old.line);
    if (heading.len > 0) {
        buf_str(p->out, " ");
        buf_add(p->out, p->old.data + heading.at, heading.len);
    }
    buf_str(p->out, "\n");

    size_t at = h->old.at;
    for (size_t i = h->first; i <= h->last; i++) {
        const struct line_span *old = &p->changes->list[i].old, *new = &p->changes->list[i].new;
        (void)add_signed_lines(p, ' ', p->old, at, old->at - at);
        p->shown += add_signed_lines(p, '-', p->old, old->at, old->len);
        p->shown += add_signed_lines(p, '+', p->new, new->at, new->len);
        at = old->at + old->len;
    }
    (void)add_signed_lines(p, ' ', p->old, at, h->old.at + h->old.len - at);
}

/* -- the whole -------------------------------------------------------------------------------- */

static struct diff_stats count_lines(const struct changes *changes) {
    struct diff_stats stats = {0};
    for (size_t i = 0; i < changes->n; i++) {
        stats.removed += changes->list[i].old.count;
        stats.added += changes->list[i].new.count;
    }
    return stats;
}

/* Prints the hunks of P's changes: at most LIMIT bytes, and a line that says what is left out. */
static int print_hunks(struct printer *p, size_t limit, struct diff_stats *stats, struct error *e) {
    const struct diff_stats counted = count_lines(p->changes);
    limit = limit < SIZE_MAX / 2 ? limit : SIZE_MAX / 2; /* keeps the sum below from wrapping */
    p->most = p->out->len + (limit > MARK_BYTES ? limit - MARK_BYTES : 0);
    for (size_t i = 0; i < p->changes->n && !p->cut;) {
        struct hunk h = gather_hunk(p, i);
        add_hunk(p, &h);
        i = h.last + 1;
    }
    if (p->cut)
        buf_printf(p->out, "[diff truncated: %zu of %zu changed lines shown]\n", p->shown,
                   counted.added + counted.removed);
    if (p->out->failed)
        return fail_memory(e);
    *stats = counted;
    stats->cut = p->cut;
    return AQFS_OK;
}

/* The data of an empty text may be NULL, to which no offset may be added. */
static struct text_ref with_data(struct text_ref text) {
    return text.len > 0 ? text : (struct text_ref){"", 0};
}

int diff_unified(struct libraries *libraries, const struct diff_side *before,
                 const struct diff_side *after, size_t limit, struct buf *out,
                 struct diff_stats *stats, struct error *e) {
    AUTO(changes_free) struct changes changes = {0};
    struct printer p = {
        .out = out,
        .old = with_data(before->text),
        .new = with_data(after->text),
        .changes = &changes,
        .context = DIFF_CONTEXT,
        .headings = {.lisp = heading_is_lisp(before->path) || heading_is_lisp(after->path)},
    };
    p.headings.text = p.old;
    int code = changes_find(libraries, p.old, p.new, &changes, e);
    if (code)
        return code;
    const size_t start = out->len;
    if (changes.n > 0 || !before->path.data || !after->path.data) {
        add_header_name(out, "--- ", "a/", before->path);
        add_header_name(out, "+++ ", "b/", after->path);
    }
    code = print_hunks(&p, limit, stats, e);
    if (code)
        out->len = start;
    return code;
}

int diff_brief(struct libraries *libraries, struct text_ref before, struct text_ref after,
               size_t limit, struct buf *out, struct diff_stats *stats, struct error *e) {
    AUTO(changes_free) struct changes changes = {0};
    struct printer p = {
        .out = out,
        .old = with_data(before),
        .new = with_data(after),
        .changes = &changes,
        .context = 1,
        .brief = true,
    };
    int code = changes_find(libraries, p.old, p.new, &changes, e);
    return code ? code : print_hunks(&p, limit, stats, e);
}
