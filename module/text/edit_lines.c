/* edit_lines.c -- which lines an edit changes, and which it only repeats: see edit_lines.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "edit_lines.h"

#include "cleanup.h"
#include "lines.h"

#include <stdint.h>
#include <stdlib.h>

bool line_list_of(struct text_ref text, struct line_list *out) {
    *out = (struct line_list){.n = text.len > 0 ? linewise_count(text.data, text.len) : 0};
    out->all = calloc(out->n + 1, sizeof *out->all);
    if (!out->all)
        return false;
    const char *line = text.data, *end = line + text.len;
    for (size_t i = 0; i < out->n; i++) {
        const char *next = text_next_line(line, end);
        out->all[i] =
            (struct text_ref){line, (size_t)(next - line) - (next > line && next[-1] == '\n')};
        line = next;
    }
    return true;
}

void line_list_free(struct line_list *l) {
    free(l->all);
}

void edit_lines_free(struct edit_lines *e) {
    line_list_free(&e->old);
    line_list_free(&e->new);
    free(e->hunks);
}

/* Between their first and their last difference, longer texts are one hunk. */
#define COMPARED_MOST 400

/* The lines between the first and the last difference. */
struct differing {
    const struct text_ref *old, *new;
    size_t old_n, new_n;
    uint16_t *common; /* [i][k]: of the longest row of lines that both have, from i and k on */
};

static uint16_t *common_at(const struct differing *d, size_t i, size_t k) {
    return &d->common[i * (d->new_n + 1) + k];
}

static void count_common(const struct differing *d) {
    for (size_t i = d->old_n; i-- > 0;)
        for (size_t k = d->new_n; k-- > 0;) {
            const uint16_t down = *common_at(d, i + 1, k), right = *common_at(d, i, k + 1);
            const uint16_t longer = down > right ? down : right;
            *common_at(d, i, k) = text_ref_equal(d->old[i], d->new[k])
                                      ? (uint16_t)(*common_at(d, i + 1, k + 1) + 1)
                                      : longer;
        }
}

static void add_edit_hunk(struct edit_lines *e, struct edit_hunk hunk) {
    if (hunk.old_n > 0 || hunk.new_n > 0)
        e->hunks[e->n++] = hunk;
}

/* Adds the hunks of D, whose first line is AT. */
static void add_edit_hunks(struct edit_lines *e, const struct differing *d, size_t at) {
    struct edit_hunk hunk = {.old_at = at, .new_at = at};
    size_t i = 0, k = 0;
    while (i < d->old_n && k < d->new_n) {
        if (text_ref_equal(d->old[i], d->new[k])) {
            add_edit_hunk(e, hunk);
            i++;
            k++;
            hunk = (struct edit_hunk){.old_at = at + i, .new_at = at + k};
        } else if (*common_at(d, i + 1, k) >= *common_at(d, i, k + 1)) {
            i++;
            hunk.old_n++;
        } else {
            k++;
            hunk.new_n++;
        }
    }
    hunk.old_n += d->old_n - i;
    hunk.new_n += d->new_n - k;
    add_edit_hunk(e, hunk);
}

/* Lines that were only added, or only deleted, may as well be lines further down where the line
 * behind them is their first one; then they are: so added functions begin where they begin. */
static bool may_slide(const struct edit_lines *e, const struct edit_hunk *h, size_t end) {
    const size_t old = h->old_at + h->old_n, new = h->new_at + h->new_n;
    if (old >= end)
        return false;
    return h->old_n == 0   ? text_ref_equal(e->new.all[h->new_at], e->new.all[new])
           : h->new_n == 0 ? text_ref_equal(e->old.all[h->old_at], e->old.all[old])
                           : false;
}

static void slide_hunks(struct edit_lines *e) {
    size_t end = e->old.n;
    for (size_t i = e->n; i-- > 0; end = e->hunks[i].old_at)
        while (may_slide(e, &e->hunks[i], end)) {
            e->hunks[i].old_at++;
            e->hunks[i].new_at++;
        }
}

bool edit_lines_find(struct text_ref old_str, struct text_ref new_str, struct edit_lines *out) {
    *out = (struct edit_lines){0};
    if (!line_list_of(old_str, &out->old) || !line_list_of(new_str, &out->new))
        return false;
    const struct line_list *old = &out->old, *new = &out->new;
    size_t most = old->n < new->n ? old->n : new->n, head = 0, tail = 0;
    while (head < most && text_ref_equal(old->all[head], new->all[head]))
        head++;
    while (head + tail < most &&
           text_ref_equal(old->all[old->n - 1 - tail], new->all[new->n - 1 - tail]))
        tail++;
    struct differing d = {old->all + head, new->all + head, old->n - head - tail,
                          new->n - head - tail, NULL};
    const bool compared = d.old_n <= COMPARED_MOST && d.new_n <= COMPARED_MOST;
    const size_t cells = compared ? (d.old_n + 1) * (d.new_n + 1) : 1;
    AUTO_FREE uint16_t *common = calloc(cells, sizeof *common);
    out->hunks = calloc((compared ? d.old_n + d.new_n : 1) + 1, sizeof *out->hunks);
    if (!common || !out->hunks)
        return false;
    d.common = common;
    if (compared) {
        count_common(&d);
        add_edit_hunks(out, &d, head);
    } else {
        add_edit_hunk(out, (struct edit_hunk){head, d.old_n, head, d.new_n});
    }
    slide_hunks(out);
    return true;
}
