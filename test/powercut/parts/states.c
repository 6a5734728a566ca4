/* states.c -- the states of the disks that are tried: see states.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "states.h"

#include "die.h"

#include <stdlib.h>
#include <string.h>

/* So many combinations of effects are looked at for each state that is wanted, before a sample must
 * do. */
#define LOOKED_AT 50
/* So many random ones for each state that is wanted. */
#define TRIES 8
/* From one point that is tried to the next: those of a long log are tried in all of its parts. */
#define STRIDE 7919 /* a prime: all are */

/* The states that are there already, by their hashes. */
struct seen {
    uint64_t *hashes;
    size_t mask;
};

struct search {
    const struct model *m;
    struct states *out;
    struct seen seen;
    size_t most, looked_at;
    uint64_t random;
    bool *kept;    /* what is tried */
    bool *has_one; /* of each event: is there a state behind it? */
};

size_t answers_at(const struct log *log, size_t point) {
    size_t n = 0;
    for (size_t i = 0; i <= point && i < log->n; i++)
        n += log->events[i].kind == EVENT_ANSWER;
    return n;
}

/* -- distinct -----------------------------------------------------------------------------------
 */

static bool is_new(struct seen *seen, uint64_t hash) {
    size_t i = hash & seen->mask;
    hash = hash ? hash : 1;
    while (seen->hashes[i] && seen->hashes[i] != hash)
        i = (i + 1) & seen->mask;
    bool found = seen->hashes[i] != 0;
    seen->hashes[i] = hash;
    return !found;
}

static void start_seen(struct seen *seen, size_t most) {
    size_t room = 64;
    while (room < 4 * (most + 2))
        room *= 2;
    seen->mask = room - 1;
    seen->hashes = calloc(room, sizeof *seen->hashes);
    if (!seen->hashes)
        die("no memory");
}

/* Adds what is tried behind POINT, if no state is like it. */
static void try_kept(struct search *s, size_t point) {
    struct disk d;
    s->looked_at++;
    model_apply(s->m, s->kept, &d);
    uint64_t hash = disk_hash(&d) + answers_at(s->m->log, point) * UINT64_C(0x9E3779B97F4A7C15);
    disk_end_copy(&d);
    if (s->out->n > s->most || !is_new(&s->seen, hash))
        return;
    struct states *out = s->out;
    if (out->n == out->room) {
        out->room = out->room ? out->room * 2 : 64;
        out->all = realloc(out->all, out->room * sizeof *out->all);
    }
    struct state state = {point, malloc(s->m->n + 1)};
    if (!out->all || !state.kept)
        die("no memory");
    memcpy(state.kept, s->kept, s->m->n);
    out->points += !s->has_one[point];
    s->has_one[point] = true;
    out->all[out->n++] = state;
}

static void forget_states(struct search *s) {
    for (size_t i = 0; i < s->out->n; i++)
        free(s->out->all[i].kept);
    free(s->out->all);
    free(s->seen.hashes);
    *s->out = (struct states){0};
    memset(s->has_one, 0, s->m->log->n);
    start_seen(&s->seen, s->most);
}

/* -- all of them --------------------------------------------------------------------------------
 */

/* Tries both for each effect from I on that may be there or not. */
static void try_both(struct search *s, size_t point, size_t i) {
    const struct model *m = s->m;
    if (s->looked_at > LOOKED_AT * s->most || s->out->n > s->most)
        return;
    while (i < m->n && m->effects[i].event <= point && m->effects[i].safe_from <= point)
        s->kept[i++] = true;
    if (i == m->n || m->effects[i].event > point) {
        memset(s->kept + i, 0, m->n - i);
        try_kept(s, point);
        return;
    }
    const struct effect *effect = &m->effects[i];
    bool possible = true;
    for (size_t j = 0; possible && j < effect->needs_n; j++)
        possible = s->kept[effect->needs[j]];
    s->kept[i] = possible;
    if (possible)
        try_both(s, point, i + 1);
    s->kept[i] = false;
    try_both(s, point, i + 1);
}

/* -- a sample -----------------------------------------------------------------------------------
 */

static size_t draw(struct search *s, size_t n) {
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return n > 0 ? (size_t)(s->random % n) : 0;
}

static void keep_with_needs(const struct model *m, bool *kept, size_t i) {
    kept[i] = true;
    for (size_t j = 0; j < m->effects[i].needs_n; j++)
        if (!kept[m->effects[i].needs[j]])
            keep_with_needs(m, kept, m->effects[i].needs[j]);
}

/* An effect that may be lost behind POINT, or the number of effects. */
static size_t draw_effect(struct search *s, size_t point) {
    const struct model *m = s->m;
    size_t n = 0, found = m->n;
    for (size_t i = 0; i < m->n && m->effects[i].event <= point; i++)
        if (m->effects[i].safe_from > point && draw(s, ++n) == 0)
            found = i;
    return found;
}

/* All but one, none but one, all or none of those on one of the disks, or some. */
static void draw_kept(struct search *s, size_t point) {
    const struct model *m = s->m;
    size_t how = draw(s, 6), one = draw_effect(s, point), share = 1 + draw(s, 7);
    for (size_t i = 0; i < m->n; i++)
        s->kept[i] = how == 0   ? i != one
                     : how == 1 ? false
                     : how == 2 ? m->effects[i].disk == 0
                     : how == 3 ? m->effects[i].disk == 1
                                : draw(s, 8) >= share;
    if (how == 1 && one < m->n)
        keep_with_needs(m, s->kept, one);
    if (how == 5 && one < m->n) /* some, but nothing behind one of them */
        memset(s->kept + one, 0, m->n - one);
    model_close(m, point, s->kept);
}

static void sample(struct search *s, size_t first) {
    size_t n = s->m->log->n;
    for (size_t i = 0; s->out->n < s->most && i < s->most * TRIES && n > first; i++) {
        size_t point = first + (i < n - first ? i * STRIDE % (n - first) : draw(s, n - first));
        draw_kept(s, point);
        try_kept(s, point);
    }
}

void states_list(const struct model *m, size_t first, size_t most, struct states *out) {
    struct search s = {.m = m, .out = out, .most = most, .random = UINT64_C(88172645463325252)};
    *out = (struct states){0};
    start_seen(&s.seen, most);
    s.kept = calloc(m->n + 1, sizeof *s.kept);
    s.has_one = calloc(m->log->n + 1, sizeof *s.has_one);
    if (!s.kept || !s.has_one)
        die("no memory");
    for (size_t point = first; point < m->log->n; point++)
        try_both(&s, point, 0);
    bool complete = s.looked_at <= LOOKED_AT * most && out->n <= most;
    if (!complete) {
        s.looked_at = 0;
        forget_states(&s);
        sample(&s, first);
    }
    out->is_complete = complete;
    free(s.seen.hashes);
    free(s.kept);
    free(s.has_one);
}

void states_free(struct states *states) {
    for (size_t i = 0; i < states->n; i++)
        free(states->all[i].kept);
    free(states->all);
    *states = (struct states){0};
}
