/* merge_place.c -- the place of a text whose lines are those of old_str, but for a few: see
 * merging.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merging.h"

#include "correction_kinds.h"
#include "lines.h"

#include <string.h>

/* -- what lines say ---------------------------------------------------------------------------- */

/* A heading of Markdown, which begins with ##, is no comment. */
static bool is_comment(struct text_ref line) {
    static const char *const marks[] = {"//", "# ", ";", "-- ", "/*", "* ", "%", "<!--"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        const size_t n = strlen(marks[i]);
        if (line.len >= n && memcmp(line.data, marks[i], n) == 0)
            return true;
    }
    return line.len == 0 || (line.len == 1 && (*line.data == '#' || *line.data == '*'));
}

bool merge_is_telling(struct text_ref line) {
    return correction_letters(line) >= MERGE_TELLING_LETTERS && !is_comment(line);
}

/* -- the texts --------------------------------------------------------------------------------- */

static struct text_ref reduced_bytes(const struct reduced *r) {
    return (struct text_ref){r->bytes.data ? r->bytes.data : "", r->bytes.len};
}

bool merge_sides_find(const struct reduced *text, const struct reduced *old,
                      const struct reduced *new, struct merge_sides *out) {
    *out = (struct merge_sides){.text = text, .old = old, .new = new};
    return edit_lines_find(reduced_bytes(old), reduced_bytes(new), &out->lines) &&
           line_list_of(reduced_bytes(text), &out->bare);
}

void merge_sides_free(struct merge_sides *m) {
    edit_lines_free(&m->lines);
    line_list_free(&m->bare);
}

/* -- comparing --------------------------------------------------------------------------------- */

static bool is_open(const struct reduced *old) {
    return old->text.data[old->text.len - 1] != '\n';
}

/* A part of a line ends, or begins, where a word does. */
static bool is_part_of_line(struct text_ref line, struct text_ref part, bool at_its_end) {
    if (part.len == 0 || part.len >= line.len)
        return false;
    const size_t at = at_its_end ? line.len - part.len : 0, cut = at_its_end ? at : part.len;
    return memcmp(line.data + at, part.data, part.len) == 0 &&
           !(text_is_word(line.data[cut - 1]) && text_is_word(line.data[cut]));
}

static bool changes_line(const struct merge_sides *m, size_t old) {
    for (size_t i = 0; i < m->lines.n; i++)
        if (old >= m->lines.hunks[i].old_at &&
            old < m->lines.hunks[i].old_at + m->lines.hunks[i].old_n)
            return true;
    return false;
}

bool merge_same_line(const struct merge_sides *m, size_t old, size_t at) {
    const struct text_ref was = m->lines.old.all[old], is = m->bare.all[at];
    if (was.len == is.len)
        return text_ref_equal(was, is);
    const bool last = old + 1 == m->lines.old.n && is_open(m->old);
    const bool first = old == 0 && m->old->lines[0].inner.at == m->old->lines[0].at;
    return ((last && is_part_of_line(is, was, false)) ||
            (first && is_part_of_line(is, was, true))) &&
           !changes_line(m, old);
}

/* The work that is done in proportion to the lines of the texts, against repeated lines. */
#define COMPARISONS_A_LINE 64

struct place_search {
    const struct merge_sides *m;
    size_t steps; /* comparisons that may still be made */
    size_t old_n, text_n;
};

static bool is_same(struct place_search *s, size_t old, size_t at) {
    if (s->steps == 0 || old >= s->old_n || at >= s->text_n)
        return false;
    s->steps--;
    return merge_same_line(s->m, old, at);
}

/* Are the lines that hunk H makes at line AT of the text? */
static bool is_made_at(struct place_search *s, const struct edit_hunk *h, size_t at) {
    if (at + h->new_n > s->text_n)
        return false;
    for (size_t i = 0; i < h->new_n; i++) {
        s->steps -= s->steps > 0;
        if (!text_ref_equal(s->m->lines.new.all[h->new_at + i], s->m->bare.all[at + i]))
            return false;
    }
    return true;
}

/* -- lines that differ ------------------------------------------------------------------------- */

static bool are_blank(const struct text_ref *lines, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (lines[i].len > 0)
            return false;
    return true;
}

static bool are_comments(const struct text_ref *lines, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!is_comment(lines[i]))
            return false;
    return true;
}

/* Do two lines have a PART-th of their bytes in common, at their ends? */
static bool have_common(struct text_ref a, struct text_ref b, size_t part) {
    const size_t less = a.len < b.len ? a.len : b.len, more = a.len < b.len ? b.len : a.len;
    if (less == 0)
        return more == 0;
    const size_t head = common_head(a.data, b.data, less);
    const size_t tail = common_tail(a.data + a.len, b.data + b.len, less - head);
    return part * (head + tail) >= more;
}

bool merge_is_alike(const struct merge_sides *m, const struct merge_block *b, size_t part) {
    for (size_t i = 0; i < b->old_n && b->old_n == b->text_n; i++)
        if (!have_common(m->lines.old.all[b->old_at + i], m->bare.all[b->text_at + i], part))
            return false;
    return b->old_n == b->text_n;
}

static enum merge_kind kind_of_block(const struct merge_sides *m, const struct merge_block *b) {
    const struct text_ref *old = m->lines.old.all + b->old_at, *text = m->bare.all + b->text_at;
    if (are_blank(old, b->old_n) && are_blank(text, b->text_n))
        return MERGE_BLANKS;
    if (are_comments(old, b->old_n) && are_comments(text, b->text_n))
        return b->old_n > 0 && b->text_n > 0 && !have_common(*old, *text, 3) ? MERGE_OTHER_COMMENTS
                                                                             : MERGE_COMMENTS;
    return b->old_n == 1 && merge_is_alike(m, b, 2) ? MERGE_WORDS : MERGE_CODE;
}

static size_t cost_of_block(const struct merge_block *b) {
    static const size_t costs[] = {[MERGE_MADE] = 1,
                                   [MERGE_BLANKS] = 1,
                                   [MERGE_COMMENTS] = 1,
                                   [MERGE_OTHER_COMMENTS] = 2,
                                   [MERGE_WORDS] = 3};
    const size_t lines = b->old_n > b->text_n ? b->old_n : b->text_n;
    return b->kind == MERGE_CODE ? 4 * lines : costs[b->kind];
}

/* One place, while its lines are compared: all before line OLD of old_str and AT of the text. */
struct place_walk {
    size_t old, at;
    struct merge_place place;
};

static bool add_block(struct place_search *s, struct place_walk *a, size_t old_n, size_t text_n,
                      bool made) {
    struct merge_block b = {a->old, old_n, a->at, text_n, MERGE_MADE};
    if (a->place.count == MERGE_BLOCKS_MOST)
        return false;
    if (!made)
        b.kind = kind_of_block(s->m, &b);
    a->place.blocks[a->place.count++] = b;
    a->place.cost += cost_of_block(&b);
    a->old += old_n;
    a->at += text_n;
    return true;
}

/* Skips a hunk that was made.  A deletion is seen only between lines that are there. */
static bool skip_made(struct place_search *s, struct place_walk *a) {
    for (size_t i = 0; i < s->m->lines.n; i++) {
        const struct edit_hunk *h = &s->m->lines.hunks[i];
        const size_t end = h->old_at + h->old_n;
        if (h->old_at != a->old || !is_made_at(s, h, a->at))
            continue;
        if (h->new_n == 0 && (a->old == 0 || !is_same(s, end, a->at)))
            return false;
        return add_block(s, a, h->old_n, h->new_n, true);
    }
    return false;
}

/* Do lines agree again here, by more than a brace? */
static bool agree_again(struct place_search *s, size_t old, size_t at) {
    return is_same(s, old, at) && (merge_is_telling(s->m->lines.old.all[old]) ||
                                   old + 1 == s->old_n || is_same(s, old + 1, at + 1));
}

/* Skips the fewest lines behind which the texts agree. */
static bool skip_block(struct place_search *s, struct place_walk *a) {
    for (size_t both = 1; both <= 2 * (size_t)MERGE_BLOCK_LINES; both++)
        for (size_t old_n = both <= MERGE_BLOCK_LINES ? 0 : both - MERGE_BLOCK_LINES;
             old_n <= both && old_n <= MERGE_BLOCK_LINES; old_n++)
            if (agree_again(s, a->old + old_n, a->at + both - old_n))
                return add_block(s, a, old_n, both - old_n, false);
    return false;
}

/* Skips the last lines of old_str: as many of the text, or none for blank ones. */
static bool skip_end(struct place_search *s, struct place_walk *a) {
    const size_t left = s->old_n - a->old;
    const bool blank = are_blank(s->m->lines.old.all + a->old, left);
    return left <= MERGE_BLOCK_LINES && (blank || a->at + left <= s->text_n) &&
           add_block(s, a, left, blank ? 0 : left, false);
}

/* Lines that the edit adds behind old_str may be there already. */
static bool skip_made_end(struct place_search *s, struct place_walk *a) {
    const struct edit_lines *lines = &s->m->lines;
    const struct edit_hunk *last = lines->n > 0 ? &lines->hunks[lines->n - 1] : NULL;
    if (!last || last->old_at != s->old_n || !is_made_at(s, last, a->at))
        return true;
    return add_block(s, a, 0, last->new_n, true);
}

static bool align_rest(struct place_search *s, struct place_walk *a) {
    while (a->old < s->old_n)
        if (is_same(s, a->old, a->at)) {
            a->old++;
            a->at++;
        } else if (!skip_made(s, a) && !skip_block(s, a) && !skip_end(s, a)) {
            return false;
        }
    return skip_made_end(s, a);
}

/* -- where it begins --------------------------------------------------------------------------- */

/* How many comments stand right above line AT of the text. */
static size_t comments_above(const struct merge_sides *m, size_t at) {
    size_t n = 0;
    while (n < at && m->bare.all[at - n - 1].len > 0 && is_comment(m->bare.all[at - n - 1]))
        n++;
    return n;
}

/* How many lines of the text, above line AT, stand for the first SKIP lines of old_str: none for
 * blank ones; for comments that the edit changes those that are there; else as many. */
static size_t lines_above(const struct merge_sides *m, size_t skip, size_t at) {
    if (are_blank(m->lines.old.all, skip))
        return 0;
    const struct edit_hunk *first = m->lines.n > 0 ? &m->lines.hunks[0] : NULL;
    const bool changed = first && first->old_at == 0 && first->old_n >= skip;
    const size_t above = comments_above(m, at);
    if (changed && are_comments(m->lines.old.all, skip) && above > 0 && above <= MERGE_BLOCK_LINES)
        return above;
    return skip;
}

/* Begins the alignment where line SKIP of old_str is line AT of the text. */
static bool begin_at(struct place_search *s, size_t skip, size_t at, struct place_walk *a) {
    const struct edit_lines *lines = &s->m->lines;
    const struct edit_hunk *first = lines->n > 0 ? &lines->hunks[0] : NULL;
    const bool starts = first && first->old_at == 0 && first->old_n == skip && first->new_n > 0;
    const bool made = starts && at >= first->new_n && is_made_at(s, first, at - first->new_n);
    *a = (struct place_walk){.at = at};
    if (!made && skip == 0) {
        a->place.from = at;
        return true;
    }
    const size_t above = made ? first->new_n : lines_above(s->m, skip, at);
    if (above > at || (!made && at > 0 && is_same(s, skip - 1, at - 1)))
        return false;
    a->at = a->place.from = at - above;
    return add_block(s, a, skip, above, made);
}

/* -- all places -------------------------------------------------------------------------------- */

/* Has the place most of the lines of old_str that say something? */
static bool has_most(const struct merge_sides *m, const struct merge_place *p) {
    size_t all = 0, there = 0;
    for (size_t i = 0; i < m->lines.old.n; i++) {
        bool differs = false;
        for (size_t k = 0; k < p->count; k++)
            differs = differs ||
                      (i >= p->blocks[k].old_at && i < p->blocks[k].old_at + p->blocks[k].old_n &&
                       p->blocks[k].kind != MERGE_MADE);
        const bool telling = merge_is_telling(m->lines.old.all[i]);
        all += telling;
        there += telling && !differs;
    }
    return there > 0 && 2 * there >= all;
}

/* Another place must cost so much more than the one that is meant. */
#define COST_MARGIN 2

struct cheapest {
    struct merge_place place;
    bool found;
    size_t next; /* the cost of another place, SIZE_MAX without any */
};

static void take_cheaper(struct cheapest *c, const struct merge_place *p) {
    const struct merge_place other = c->place;
    const bool first = !c->found, better = first || p->cost < other.cost;
    const bool apart = p->from >= other.from + other.n || other.from >= p->from + p->n;
    c->found = true;
    if (better)
        c->place = *p;
    const size_t cost = better ? other.cost : p->cost;
    if (!first && apart && cost < c->next)
        c->next = cost;
}

/* Takes the place where line SKIP of old_str is line AT of the text, if it is one. */
static void try_place(struct place_search *s, size_t skip, size_t at, struct cheapest *out) {
    struct place_walk a;
    if (!is_same(s, skip, at) || !begin_at(s, skip, at, &a))
        return;
    a.old = skip;
    a.at = at;
    if (!align_rest(s, &a) || !has_most(s->m, &a.place))
        return;
    a.place.n = a.at - a.place.from;
    take_cheaper(out, &a.place);
}

bool merge_place_find(const struct merge_sides *m, struct merge_place *out) {
    const size_t old_n = m->lines.old.n, text_n = m->bare.n;
    struct place_search s = {m, COMPARISONS_A_LINE * (old_n + text_n), old_n, text_n};
    struct cheapest c = {.next = SIZE_MAX};
    for (size_t at = 0; at < text_n && s.steps > 0; at++)
        for (size_t skip = 0; skip <= MERGE_BLOCK_LINES && skip < old_n; skip++)
            try_place(&s, skip, at, &c);
    *out = c.place;
    return c.found && s.steps > 0 && c.next >= c.place.cost + COST_MARGIN;
}
