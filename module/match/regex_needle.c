/* regex_needle.c -- literals that every match contains: see regex_read.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "regex_read.h"

#include <string.h>

/* A set of less worth, such as `=` or `if`, is not worth searching for. */
#define WORTH_LEAST 6

/* The cost of each further needle, which is one more search. */
#define WORTH_OF_ONE 3

static bool is_common(char c) {
    return (c >= 'a' && c <= 'z') || c == ' ';
}

static unsigned worth_of(const struct needle *needle) {
    unsigned worth = 0;
    for (unsigned i = 0; i < needle->len; i++)
        worth += is_common(needle->text[i]) ? 2 : 3;
    return worth;
}

static int score(const struct needles *set) {
    return set->n == 0 ? 0 : (int)set->worth - (int)(WORTH_OF_ONE * (set->n - 1));
}

void needles_both(struct needles *best, const struct needles *other) {
    if (score(other) > score(best))
        *best = *other;
}

void needles_either(struct needles *set, const struct needles *other) {
    if (set->n == 0 || other->n == 0 || set->n + other->n > NEEDLES_MOST) {
        set->n = 0;
        return;
    }
    memcpy(set->of + set->n, other->of, other->n * sizeof *other->of);
    set->n += other->n;
    set->worth = other->worth < set->worth ? other->worth : set->worth;
}

void run_end(struct run *run, struct needles *best) {
    struct needles one = {.n = 1, .worth = worth_of(&run->needle), .of = {run->needle}};
    if (one.worth >= WORTH_LEAST)
        needles_both(best, &one);
    run->needle.len = 0;
}

/* Could ITEM also match other bytes when case is ignored?  Needles are searched for as bytes, where
 * k and s differ from the Kelvin sign and the long s, and where letters beyond ASCII have no case.
 */
static bool has_unclear_case(const struct pattern_reader *r, const struct pattern_item *item) {
    if (!r->plan->ignore_case)
        return false;
    return item->len > 1 || strchr("kKsS", item->bytes[0]) != NULL;
}

void run_add(const struct pattern_reader *r, struct run *run, const struct pattern_item *item,
             struct needles *best) {
    if (item->len == 0 || has_unclear_case(r, item)) {
        run_end(run, best);
        return;
    }
    struct needle *needle = &run->needle;
    if (needle->len + item->len > NEEDLE_BYTES)
        run_end(run, best);
    memcpy(needle->text + needle->len, item->bytes, item->len);
    needle->len += item->len;
}
