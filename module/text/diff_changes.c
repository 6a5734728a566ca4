/* diff_changes.c -- which lines differ: see diff_changes.h.
 *
 * libgit2's differ hashes every byte and every line that it is given, and its
 * time may grow faster than its input.  So it is given windows: each begins at
 * the next difference and is large enough to hold lines in which the texts
 * agree again.  The differ only says which lines changed.  Texts that differ in
 * one place, as they do after most edits, need no differ.
 *
 * SPDX-License-Identifier: MIT
 */
#include "diff_changes.h"

#include "libraries.h"
#include "lines.h"

#include <git2.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* Two texts that together have no more bytes than this are one window. */
    SMALL_BYTES = 32768,
    WINDOW_LINES = 4000,
    WINDOW_BYTES = 1 << 20,
    /* When the texts do not agree again within a window, the next one is WINDOW_GROWTH times as
       large; there are WINDOW_SIZES sizes. */
    WINDOW_GROWTH = 5,
    WINDOW_SIZES = 3,
    MANY_LINES = 16, /* this many equal lines are hardly equal by chance */
    /* Equal lines that a window includes at its ends.  Among equal lines a change can be placed in
       several ways, and libgit2 weighs up to 100 of them. */
    SLACK_LINES = 110,
    /* Lines in all windows of one diff: at the slowest, a second. */
    WORK_LINES = 1000000,
    BYTES_PER_LINE = 100, /* comparing this many bytes costs as much as a line */
    /* Up to this many pairs, comparing every line with every other is cheaper than a differ. */
    PAIRS_MAX = 1024,
};

/* A place in both texts, at the beginning of lines. */
struct diff_spot {
    size_t old_at, new_at, old_line, new_line;
};

struct change_finder {
    struct text_ref old, new;
    size_t tail; /* bytes at the end that both texts share and that no window needs */
    struct changes *changes;
    struct diff_spot at; /* everything before it is done */
    size_t work;
    struct error *error;
};

void changes_free(struct changes *c) {
    free(c->list);
    *c = (struct changes){0};
}

static bool add_change(struct changes *c, const struct line_change *change) {
    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 16;
        struct line_change *list = realloc(c->list, room * sizeof *list);
        if (!list)
            return false;
        c->list = list;
        c->room = room;
    }
    c->list[c->n++] = *change;
    return true;
}

/* -- one window ------------------------------------------------------------------------------- */

struct window {
    struct diff_spot start, end;
    struct change_finder *finder;
    struct diff_spot at; /* its changes up to here have been found */
};

static struct line_span span_to(struct text_ref text, size_t at, size_t line, size_t count) {
    size_t end = linewise_below(text.data, text.len, at, count);
    return (struct line_span){at, end - at, line, count};
}

static void place_down(const struct change_finder *f, struct diff_spot *p, size_t lines) {
    p->old_at = linewise_below(f->old.data, f->old.len, p->old_at, lines);
    p->new_at = linewise_below(f->new.data, f->new.len, p->new_at, lines);
    p->old_line += lines;
    p->new_line += lines;
}

static void place_behind(struct diff_spot *p, const struct line_change *c) {
    p->old_at = c->old.at + c->old.len;
    p->new_at = c->new.at + c->new.len;
    p->old_line = c->old.line + c->old.count;
    p->new_line = c->new.line + c->new.count;
}

/* libgit2 counts lines from 1.  For a side of a hunk without lines it gives the line before the
 * hunk. */
static int on_hunk(const git_diff_delta *delta, const git_diff_hunk *hunk, void *payload) {
    (void)delta;
    struct window *w = payload;
    const struct change_finder *f = w->finder;
    const size_t old_line = w->start.old_line + (size_t)hunk->old_start - (hunk->old_lines > 0);
    place_down(f, &w->at, old_line - w->at.old_line);
    struct line_change change = {
        span_to(f->old, w->at.old_at, w->at.old_line, (size_t)hunk->old_lines),
        span_to(f->new, w->at.new_at, w->at.new_line, (size_t)hunk->new_lines),
    };
    place_behind(&w->at, &change);
    return add_change(f->changes, &change) ? 0 : -1;
}

/* Adds the changes in W, which holds some. */
static int find_in_window(struct change_finder *f, struct window *w) {
    git_diff_options options;
    (void)git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.flags = GIT_DIFF_FORCE_TEXT | GIT_DIFF_INDENT_HEURISTIC;
    options.context_lines = 0;
    options.interhunk_lines = 0;
    w->at = w->start;
    const size_t before = f->changes->n;
    int result =
        git_diff_buffers(f->old.data + w->start.old_at, w->end.old_at - w->start.old_at, NULL,
                         f->new.data + w->start.new_at, w->end.new_at - w->start.new_at, NULL,
                         &options, NULL, NULL, on_hunk, NULL, w);
    /* When libgit2's differ runs out of memory, it finds nothing and reports no error. */
    if (result != 0 || f->changes->n == before)
        return fail_memory(f->error);
    return AQFS_OK;
}

/* -- which windows ---------------------------------------------------------------------------- */

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t old_end(const struct change_finder *f) {
    return f->old.len - f->tail;
}

static size_t new_end(const struct change_finder *f) {
    return f->new.len - f->tail;
}

static bool is_end(const struct change_finder *f, const struct diff_spot *p) {
    return p->old_at == old_end(f) && p->new_at == new_end(f);
}

/* Moves F->at over what both texts share: to the line that differs, or to the end. */
static void skip_common(struct change_finder *f) {
    struct diff_spot *p = &f->at;
    const char *old = f->old.data + p->old_at;
    size_t n = smaller(old_end(f) - p->old_at, new_end(f) - p->new_at);
    size_t same = common_head(old, f->new.data + p->new_at, n);
    if (p->old_at + same < old_end(f) || p->new_at + same < new_end(f))
        same = linewise_start(old, same);
    size_t lines = linewise_count(old, same);
    p->old_at += same;
    p->new_at += same;
    p->old_line += lines;
    p->new_line += lines;
}

/* Finds the lines that both texts share at their ends, less the slack. */
static void find_tail(struct change_finder *f) {
    size_t n = smaller(f->old.len - f->at.old_at, f->new.len - f->at.new_at);
    size_t same = common_tail(f->old.data + f->old.len, f->new.data + f->new.len, n);
    size_t at =
        f->old.len -
        same; /* perhaps within a line that begins differently; the slack covers that line */
    f->tail = f->old.len - linewise_below(f->old.data, f->old.len, at, SLACK_LINES + 1);
}

/* The start of a window: some lines above F->at that both texts share and that belong to no change.
 */
static struct diff_spot window_start(const struct change_finder *f) {
    struct diff_spot start = f->at;
    const struct changes *c = f->changes;
    const struct line_span *last = c->n > 0 ? &c->list[c->n - 1].old : NULL;
    size_t floor = last ? last->at + last->len : 0;
    size_t at = linewise_above(f->old.data, start.old_at, SLACK_LINES);
    at = at < floor ? floor : at;
    size_t len = start.old_at - at;
    if (len > WINDOW_BYTES / 2)
        return start;
    size_t lines = lines_count(f->old.data + at, len);
    start.old_at -= len;
    start.new_at -= len;
    start.old_line -= lines;
    start.new_line -= lines;
    return start;
}

/* The offset LINES lines or BYTES bytes after AT, whichever comes first, at the end of a line; at
 * least one line after AT, and at most END. */
static size_t window_end(struct text_ref text, size_t end, size_t at, size_t lines, size_t bytes) {
    size_t most = end - at < bytes ? end : at + bytes;
    size_t stop = linewise_below(text.data, most, at, lines);
    if (stop == end)
        return end;
    stop = linewise_start(text.data, stop);
    return stop > at ? stop : linewise_below(text.data, end, at, 1);
}

/* The window at F->at, where the texts differ.  However much it holds before that, it also holds
 * lines after it. */
static struct window window_of(struct change_finder *f, size_t growth) {
    const size_t lines = growth * WINDOW_LINES, bytes = growth * WINDOW_BYTES;
    struct window w = {.start = window_start(f), .end = f->at, .finder = f};
    struct diff_spot *end = &w.end;
    end->old_at = window_end(f->old, old_end(f), f->at.old_at, lines, bytes);
    end->new_at = window_end(f->new, new_end(f), f->at.new_at, lines, bytes);
    end->old_line += linewise_count(f->old.data + f->at.old_at, end->old_at - f->at.old_at);
    end->new_line += linewise_count(f->new.data + f->at.new_at, end->new_at - f->at.new_at);
    return w;
}

static size_t window_work(const struct window *w) {
    size_t lines = w->end.old_line - w->start.old_line + w->end.new_line - w->start.new_line;
    size_t bytes = w->end.old_at - w->start.old_at + w->end.new_at - w->start.new_at;
    return lines + bytes / BYTES_PER_LINE;
}

/* libgit2's result for the end of a window that is not the end of the texts is worthless.  So this
 * looks for equal lines in the window's second half: the last run of MANY_LINES, or else the
 * longest.  It keeps the changes before that run and moves F->at there.  False when there is no
 * such run. */
static bool keep_changes(struct change_finder *f, const struct window *w, size_t first) {
    struct changes *c = f->changes;
    const size_t middle = (w->start.old_line + w->end.old_line) / 2;
    size_t to = w->end.old_line, most = 0, kept = first;
    for (size_t i = c->n; i > first && to > middle && most < MANY_LINES; i--) {
        const struct line_span *old = &c->list[i - 1].old;
        const size_t equal = to - old->line - old->count;
        if (equal > most) {
            most = equal;
            kept = i;
        }
        to = old->line;
    }
    c->n = kept;
    if (kept == first)
        return false;
    place_behind(&f->at, &c->list[kept - 1]);
    return true;
}

/* Records that the whole rest of one text became the whole rest of the other. */
static int change_rest(struct change_finder *f) {
    const struct diff_spot *p = &f->at;
    size_t old_len = old_end(f) - p->old_at, new_len = new_end(f) - p->new_at;
    struct line_change change = {
        {p->old_at, old_len, p->old_line, linewise_count(f->old.data + p->old_at, old_len)},
        {p->new_at, new_len, p->new_line, linewise_count(f->new.data + p->new_at, new_len)},
    };
    place_behind(&f->at, &change);
    return add_change(f->changes, &change) ? AQFS_OK : fail_memory(f->error);
}

/* Finds changes from F->at, where the texts differ, and moves F->at behind them. */
static int find_some(struct change_finder *f) {
    size_t growth = 1;
    for (int i = 0; i < WINDOW_SIZES; i++, growth *= WINDOW_GROWTH) {
        struct window w = window_of(f, growth);
        f->work += window_work(&w);
        if (f->work > WORK_LINES)
            break;
        const size_t before = f->changes->n;
        int code = find_in_window(f, &w);
        if (code)
            return code;
        if (is_end(f, &w.end)) {
            f->at = w.end;
            return AQFS_OK;
        }
        if (keep_changes(f, &w, before))
            return AQFS_OK;
    }
    return change_rest(f);
}

static int find_with_git(struct change_finder *f) {
    const bool small = f->old.len + f->new.len <= SMALL_BYTES;
    if (!small) {
        skip_common(f);
        find_tail(f);
    }
    int code = AQFS_OK;
    while (!code && !is_end(f, &f->at)) {
        code = find_some(f);
        if (!code)
            skip_common(f);
    }
    return code;
}

/* -- texts that differ in one place ------------------------------------------------------------ */

static struct text_ref line_above(struct text_ref text, size_t at) {
    size_t start = linewise_above(text.data, at, 1);
    return (struct text_ref){text.data + start, at - start};
}

/* Added or removed lines could as well stand one line higher, if the line above them equals their
 * last one.  They cannot stand lower: the texts differ directly after the shared beginning. */
static bool can_slide(struct text_ref text, const struct line_span *lines) {
    return lines->at > 0 &&
           text_ref_equal(line_above(text, lines->at), line_above(text, lines->at + lines->len));
}

static bool share_a_line(struct text_ref old, struct text_ref new) {
    const char *end = old.data + old.len, *other_end = new.data + new.len;
    for (const char *line = old.data, *next; line < end; line = next) {
        next = text_next_line(line, end);
        for (const char *other = new.data, *after; other < other_end; other = after) {
            after = text_next_line(other, other_end);
            if (next - line == after - other && memcmp(line, other, (size_t)(next - line)) == 0)
                return true;
        }
    }
    return false;
}

/* Did OLD become NEW by one change that could stand nowhere else?  Then OUT is that change, which
 * is what any differ would find.  False when only a differ can tell. */
static bool diff_single(struct text_ref old, struct text_ref new, struct line_change *out) {
    /* The lines that both share at the beginning, then those at the end. */
    const size_t shorter = old.len < new.len ? old.len : new.len;
    const size_t head = linewise_start(old.data, common_head(old.data, new.data, shorter));
    size_t tail = common_tail(old.data + old.len, new.data + new.len, shorter - head);
    const size_t a_end = old.len - tail, b_end = new.len - tail;
    if ((a_end > 0 && old.data[a_end - 1] != '\n') || (b_end > 0 && new.data[b_end - 1] != '\n'))
        tail = old.len - linewise_below(old.data, old.len, a_end, 1);

    size_t lines = linewise_count(old.data, head);
    struct line_span a = {.at = head, .len = old.len - head - tail, .line = lines};
    struct line_span b = {.at = head, .len = new.len - head - tail, .line = lines};
    a.count = linewise_count(old.data + a.at, a.len);
    b.count = linewise_count(new.data + b.at, b.len);
    *out = (struct line_change){a, b};
    if (a.count == 0 || b.count == 0)
        return a.count != b.count && !(a.count > 0 ? can_slide(old, &a) : can_slide(new, &b));
    /* One line each: were they equal, both texts would share them at the beginning. */
    if (a.count == 1 && b.count == 1)
        return true;
    return a.count <= PAIRS_MAX / b.count &&
           !share_a_line((struct text_ref){old.data + a.at, a.len},
                         (struct text_ref){new.data + b.at, b.len});
}

/* -- the whole ----------------------------------------------------------------------------------
 */

int changes_find(struct libraries *libraries, struct text_ref old, struct text_ref new,
                 struct changes *out, struct error *e) {
    struct line_change single;
    *out = (struct changes){0};
    if (old.len == new.len && (old.len == 0 || memcmp(old.data, new.data, old.len) == 0))
        return AQFS_OK;
    if (diff_single(old, new, &single))
        return add_change(out, &single) ? AQFS_OK : fail_memory(e);
    if (libraries)
        libraries_hold_git(libraries);
    if (git_libgit2_init() < 0)
        return fail_memory(e);
    struct change_finder f = {.old = old, .new = new, .changes = out, .error = e};
    int code = find_with_git(&f);
    git_libgit2_shutdown();
    return code;
}
