/* merge_certain.c -- whether it is certain what an edit means that fits nowhere exactly: see
 * merging.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "merging.h"

#include "correction_kinds.h"

/* As many lines are looked for among others. */
#define LOOKS_MOST 400

static bool is_line_among(const struct text_ref *lines, size_t n, struct text_ref line) {
    for (size_t i = 0; i < n; i++)
        if (text_ref_equal(lines[i], line))
            return true;
    return false;
}

static const struct merge_block *made_block(const struct merging *g, const struct edit_hunk *h) {
    for (size_t i = 0; i < g->place->count; i++) {
        const struct merge_block *b = &g->place->blocks[i];
        if (b->kind == MERGE_MADE && b->old_at == h->old_at && b->old_n == h->old_n)
            return b;
    }
    return NULL;
}

/* How the edit meets the block B, which was not made. */
enum meeting { MEETS_NOT, MEETS_BESIDE, MEETS_INSIDE, MEETS_PART };

/* Blank lines at an end of old_str, which the text has not, settle nothing between other lines. */
static bool is_loose_end(const struct merging *g, const struct merge_block *b) {
    return b->kind == MERGE_BLANKS && b->text_n == 0 &&
           (b->old_at == 0 || b->old_at + b->old_n == g->m->lines.old.n);
}

static enum meeting meet_hunks(const struct merging *g, const struct merge_block *b) {
    const size_t from = b->old_at, to = b->old_at + b->old_n;
    const bool loose = is_loose_end(g, b);
    enum meeting met = MEETS_NOT;
    for (size_t i = 0; i < g->m->lines.n; i++) {
        const struct edit_hunk *h = &g->m->lines.hunks[i];
        const size_t end = h->old_at + h->old_n;
        if (made_block(g, h) || h->old_at > to || end < from)
            continue;
        if (b->old_n > 0 ? h->old_at <= from && end >= to && h->old_n > 0
                         : h->old_at < from && end > to)
            return MEETS_INSIDE;
        if (h->old_at < to && end > from)
            return MEETS_PART;
        if (!loose || h->old_n == 0)
            met = MEETS_BESIDE;
    }
    return met;
}

/* As many lines that say something must be the same where the text differs in a kind of lines; none
 * are enough where it differs in code. */
static const size_t telling_least[] = {
    [MERGE_BLANKS] = 2, [MERGE_COMMENTS] = 4, [MERGE_OTHER_COMMENTS] = 8, [MERGE_WORDS] = 6};

/* As many, where the edit changes comments that are others. */
#define TELLING_CHANGED_COMMENTS 6

/* How many lines must say where B is; 0 if it cannot be certain. */
static size_t telling_lines_needed(const struct merging *g, const struct merge_block *b) {
    const enum meeting met = meet_hunks(g, b);
    if (b->kind == MERGE_CODE || met == MEETS_PART ||
        (met == MEETS_BESIDE && !merge_is_alike(g->m, b, 3)))
        return 0;
    return b->kind == MERGE_COMMENTS && met == MEETS_INSIDE ? TELLING_CHANGED_COMMENTS
                                                            : telling_least[b->kind];
}

/* Is LINE in the text outside of the place?  Then that may be meant. */
static bool is_outside(const struct merging *g, struct text_ref line) {
    const size_t end = g->place->from + g->place->n;
    return is_line_among(g->m->bare.all, g->place->from, line) ||
           is_line_among(g->m->bare.all + end, g->m->bare.n - end, line);
}

/* Is a line that differs in the text outside of the place? */
static bool stands_elsewhere(const struct merging *g, const struct merge_block *b) {
    for (size_t i = b->old_at; i < b->old_at + b->old_n; i++)
        if (merge_old_line(g, i).len > 0 && is_outside(g, merge_old_line(g, i)))
            return true;
    return false;
}

/* Does the edit move a line of B?  Then it is not known in which words. */
static bool moves_block(const struct merging *g, const struct merge_block *b) {
    for (size_t i = b->old_at; i < b->old_at + b->old_n; i++)
        for (size_t k = 0; k < g->m->lines.n && merge_old_line(g, i).len > 0; k++) {
            const struct edit_hunk *h = &g->m->lines.hunks[k];
            if (is_line_among(g->m->lines.new.all + h->new_at, h->new_n, merge_old_line(g, i)))
                return true;
        }
    return false;
}

/* Is all that hunk H adds and that says something at the place, or right beside it?  Then it was
 * made in another way. */
static bool is_there_already(const struct merging *g, const struct edit_hunk *h) {
    const size_t near = h->new_n + 1, n = g->m->bare.n, end = g->place->from + g->place->n + near;
    const size_t from = g->place->from > near ? g->place->from - near : 0;
    const size_t looks = h->new_n < LOOKS_MOST ? h->new_n : LOOKS_MOST;
    size_t added = 0;
    for (size_t i = h->new_at; i < h->new_at + looks; i++) {
        const struct text_ref line = g->m->lines.new.all[i];
        if (!merge_is_telling(line) || is_line_among(g->m->lines.old.all, g->m->lines.old.n, line))
            continue;
        if (!is_line_among(g->m->bare.all + from, (end < n ? end : n) - from, line))
            return false;
        added++;
    }
    return added > 0;
}

/* Is a part of the edit to be made, and nothing of it there already but what is known? */
static bool is_to_be_made(const struct merging *g) {
    size_t made = 0;
    for (size_t i = 0; i < g->m->lines.n; i++) {
        const struct edit_hunk *h = &g->m->lines.hunks[i];
        const bool known = made_block(g, h) != NULL;
        made += known;
        if (!known && is_there_already(g, h))
            return false;
    }
    return made == 0 || made < g->m->lines.n;
}

/* Counts the lines of old_str that say something and are there, NEEDED at most.  One of them must
 * be nowhere else in the text. */
static bool tell_enough(const struct merging *g, size_t needed) {
    size_t telling = 0;
    bool only = needed <= telling_least[MERGE_BLANKS];
    size_t looks = LOOKS_MOST;
    for (size_t i = 0; i < g->m->lines.old.n && (telling < needed || !only); i++) {
        if (g->pairs[i] == NO_LINE ||
            correction_letters(merge_old_line(g, i)) < MERGE_TELLING_LETTERS)
            continue;
        telling++;
        if (!only && looks-- == 0)
            return false;
        only = only || !is_outside(g, merge_old_line(g, i));
    }
    return telling >= needed && only;
}

/* A function that is like this one differs in more. */
#define COST_MOST 3

bool merge_is_certain(const struct merging *g) {
    size_t needed = 0;
    for (size_t i = 0; i < g->place->count; i++) {
        const struct merge_block *b = &g->place->blocks[i];
        if (b->kind == MERGE_MADE)
            continue;
        const size_t lines = telling_lines_needed(g, b);
        if (lines == 0 || moves_block(g, b) || stands_elsewhere(g, b))
            return false;
        needed = needed > lines ? needed : lines;
    }
    return g->place->cost <= COST_MOST && is_to_be_made(g) && tell_enough(g, needed);
}
