/* spans.c -- places of a text that is edited: see spans.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "spans.h"

#include <stdint.h>
#include <stdlib.h>

void spans_free(struct spans *spans) {
    free(spans->all);
    *spans = (struct spans){0};
}

bool spans_add(struct spans *spans, struct span span) {
    if (spans->n == spans->room) {
        size_t room = spans->room ? 2 * spans->room : 8;
        struct span *all = realloc(spans->all, room * sizeof *all);
        if (!all)
            return false;
        spans->all = all;
        spans->room = room;
    }
    spans->all[spans->n++] = span;
    return true;
}

/* A place in the text before an edit, which grows over the spans that touch it. */
struct growing {
    size_t at, end;
};

static bool grow_over(struct growing *g, const struct spans *spans, size_t *next) {
    if (*next == spans->n || spans->all[*next].at > g->end)
        return false;
    const size_t end = spans->all[*next].at + spans->all[*next].len;
    g->end = end > g->end ? end : g->end;
    ++*next;
    return true;
}

static size_t first_of(const struct spans *spans, size_t next) {
    return next < spans->n ? spans->all[next].at : SIZE_MAX;
}

bool spans_record(struct spans *spans, const struct spans *removed, const struct text_ref *added,
                  size_t step) {
    struct spans joined = {0};
    size_t old = 0, gone = 0, moved = 0; /* modulo 2^64, so it may be negative */
    bool ok = true;
    while (ok && (old < spans->n || gone < removed->n)) {
        const size_t a = first_of(spans, old), b = first_of(removed, gone), before = moved;
        struct growing g = {.at = a < b ? a : b, .end = a < b ? a : b};
        for (;;) {
            const size_t is = gone;
            if (grow_over(&g, removed, &gone))
                moved += added[is * step].len - removed->all[is].len;
            else if (!grow_over(&g, spans, &old))
                break;
        }
        ok = spans_add(&joined, (struct span){g.at + before, g.end - g.at + moved - before});
    }
    spans_free(ok ? spans : &joined);
    if (ok)
        *spans = joined;
    return ok;
}
