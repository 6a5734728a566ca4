/* replace_batch.c -- which of many edits can be made at once: see replace_batch.h.
 *
 * A gram is some bytes in a row, eight if no old_str is shorter.  If an old_str has a gram that the
 * text has once, and that no edit before it has made, then old_str occurs at most once, where that
 * gram is.  An edit makes the grams that touch what it puts there: they are read off the text
 * around its place, as the edits before it leave it.
 *
 * Grams are counted in bits by their hashes.  Two grams of one hash look like one
 * gram that is there twice, which proves nothing and does no harm.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replace_batch.h"

#include "cleanup.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define GRAM_LEAST 4
#define GRAM_MOST 8

void batch_free(struct edit_batch *b) {
    spans_free(&b->places);
    free(b->news);
    *b = (struct edit_batch){0};
}

/* -- grams ------------------------------------------------------------------------------------- */

/* Sets of grams, a bit for each hash. */
struct grams {
    size_t size; /* of a gram */
    unsigned shift;
    uint64_t *seen, *again; /* in the text: at least once, at least twice */
    uint64_t *made;         /* by edits */
};

static void free_grams(struct grams *g) {
    free(g->seen);
    free(g->again);
    free(g->made);
}

#define HASH_BITS_LEAST 16
#define HASH_BITS_MOST 28

/* About eight bits for each byte of the text. */
static bool open_grams(struct grams *g, size_t size, size_t text_len) {
    unsigned bits = HASH_BITS_LEAST;
    while (bits < HASH_BITS_MOST && (size_t)1 << bits < 8 * text_len)
        bits++;
    const size_t words = (size_t)1 << (bits - 6);
    *g = (struct grams){.size = size,
                        .shift = 64 - bits,
                        .seen = calloc(words, sizeof *g->seen),
                        .again = calloc(words, sizeof *g->again),
                        .made = calloc(words, sizeof *g->made)};
    return g->seen && g->again && g->made;
}

static uint64_t gram_hash(const struct grams *g, const char *at) {
    uint64_t bytes = 0;
    memcpy(&bytes, at, g->size);
    return bytes * UINT64_C(0x9E3779B97F4A7C15) >> g->shift;
}

static bool has_bit(const uint64_t *set, uint64_t bit) {
    return set[bit >> 6] >> (bit & 63) & 1;
}

static void set_bit(uint64_t *set, uint64_t bit) {
    set[bit >> 6] |= UINT64_C(1) << (bit & 63);
}

/* The budget is looked at after so many bytes of the text. */
#define LOOKED_GRAMS 65536

/* Is BUDGET, which may be NULL, at an end, at AT in the text? */
static bool ends_at(struct budget *budget, size_t at) {
    return budget && at % LOOKED_GRAMS == 0 && budget_check(budget) != AQFS_OK;
}

/* False when BUDGET ends. */
static bool count_grams(struct grams *g, struct text_ref text, struct budget *budget) {
    for (size_t i = 0; i + g->size <= text.len; i++) {
        if (ends_at(budget, i))
            return false;
        const uint64_t hash = gram_hash(g, text.data + i);
        set_bit(has_bit(g->seen, hash) ? g->again : g->seen, hash);
    }
    return true;
}

static void add_made(struct grams *g, const char *bytes, size_t n) {
    for (size_t i = 0; i + g->size <= n; i++)
        set_bit(g->made, gram_hash(g, bytes + i));
}

/* Finds a gram of OLD that the text has once and no edit has made. */
static bool find_sure_gram(const struct grams *g, struct text_ref old, size_t *at, uint64_t *hash) {
    for (size_t i = 0; i + g->size <= old.len; i++) {
        *at = i;
        *hash = gram_hash(g, old.data + i);
        if (has_bit(g->seen, *hash) && !has_bit(g->again, *hash) && !has_bit(g->made, *hash))
            return true;
    }
    return false;
}

/* -- places ------------------------------------------------------------------------------------ */

/* The place of an edit. */
struct placed {
    struct span place;
    size_t edit;
    uint64_t hash; /* of its sure gram, which is at offset GRAM_AT of old_str */
    size_t gram_at;
};

/* A text, and edits of it of which a batch is made. */
struct sorting {
    struct text_ref text;
    const struct edit *edits;
    size_t n; /* edits that may still be in the batch: all before the first that may not */
    struct grams grams;
    struct placed *placed; /* for each edit that has a sure gram... */
    size_t placed_n;
    size_t *ranks; /* ...and for each edit, its index there */
};

static void free_sorting(struct sorting *s) {
    free_grams(&s->grams);
    free(s->placed);
    free(s->ranks);
}

static int compare_placed_by_hash(const void *x, const void *y) {
    const struct placed *a = x, *b = y;
    return (a->hash > b->hash) - (a->hash < b->hash);
}

static int compare_placed_by_place(const void *x, const void *y) {
    const struct placed *a = x, *b = y;
    if (a->place.at != b->place.at)
        return a->place.at < b->place.at ? -1 : 1;
    return (a->edit > b->edit) - (a->edit < b->edit);
}

/* The edits up to the first that has no sure gram, in the order of the grams' hashes. */
static void choose_grams(struct sorting *s) {
    size_t i = 0;
    for (; i < s->n && !s->edits[i].all; i++) {
        struct placed *p = &s->placed[i];
        *p = (struct placed){.edit = i};
        if (!find_sure_gram(&s->grams, s->edits[i].old_str, &p->gram_at, &p->hash))
            break;
    }
    s->n = s->placed_n = i;
    if (i > 0)
        qsort(s->placed, i, sizeof *s->placed, compare_placed_by_hash);
}

static size_t first_with_hash(const struct sorting *s, uint64_t hash) {
    size_t low = 0, high = s->placed_n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->placed[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Places the edits whose sure gram stands at AT, or ends the batch before one that is not there. */
static void place_edits(struct sorting *s, size_t at, uint64_t hash) {
    for (size_t i = first_with_hash(s, hash); i < s->placed_n && s->placed[i].hash == hash; i++) {
        struct placed *p = &s->placed[i];
        const struct text_ref old = s->edits[p->edit].old_str;
        p->place = (struct span){at - p->gram_at, old.len};
        const bool fits = at >= p->gram_at && old.len <= s->text.len - p->place.at &&
                          memcmp(s->text.data + p->place.at, old.data, old.len) == 0;
        if (!fits && p->edit < s->n)
            s->n = p->edit;
    }
}

/* False when BUDGET ends. */
static bool find_batch_places(struct sorting *s, struct budget *budget) {
    uint64_t *wanted = s->grams.made; /* lent: nothing is made yet */
    for (size_t i = 0; i < s->placed_n; i++)
        set_bit(wanted, s->placed[i].hash);
    for (size_t at = 0; at + s->grams.size <= s->text.len; at++) {
        const uint64_t hash = gram_hash(&s->grams, s->text.data + at);
        if (ends_at(budget, at))
            return false;
        if (has_bit(wanted, hash))
            place_edits(s, at, hash);
    }
    for (size_t i = 0; i < s->placed_n; i++)
        wanted[s->placed[i].hash >> 6] = 0;
    return true;
}

/* Leaves the edits that are in the batch, which keep their order. */
static void drop_others(struct sorting *s) {
    size_t kept = 0;
    for (size_t i = 0; i < s->placed_n; i++)
        if (s->placed[i].edit < s->n)
            s->placed[kept++] = s->placed[i];
    s->placed_n = kept;
}

/* Ends the batch before an edit that overlaps another one.  False if none does. */
static bool drop_overlapping(struct sorting *s) {
    const size_t before = s->n;
    for (size_t i = 1; i < s->placed_n; i++) {
        const struct placed *a = &s->placed[i - 1], *b = &s->placed[i];
        const size_t later = a->edit > b->edit ? a->edit : b->edit;
        if (b->place.at < a->place.at + a->place.len && later < s->n)
            s->n = later;
    }
    drop_others(s);
    return s->n < before;
}

/* The places of the batch in order, none of which overlaps another. */
static void order_places(struct sorting *s) {
    drop_others(s);
    if (s->placed_n > 0)
        qsort(s->placed, s->placed_n, sizeof *s->placed, compare_placed_by_place);
    while (drop_overlapping(s))
        ;
    for (size_t i = 0; i < s->placed_n; i++)
        s->ranks[s->placed[i].edit] = i;
}

/* -- what edits make ----------------------------------------------------------------------------
 */

/* The text at the place of rank RANK when the edits before number NOW are made. */
static struct text_ref text_of_rank(const struct sorting *s, size_t rank, size_t now) {
    const struct edit *edit = &s->edits[s->placed[rank].edit];
    return s->placed[rank].edit < now ? edit->new_str : edit->old_str;
}

static size_t least_of(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Copies what stands before the place of rank RANK to the end of AROUND; returns how much it is. */
static size_t copy_before(const struct sorting *s, size_t rank, size_t now,
                          char around[GRAM_MOST]) {
    const size_t full = s->grams.size - 1;
    size_t have = 0;
    for (;; rank--) {
        const size_t end = s->placed[rank].place.at;
        const struct span *left = rank > 0 ? &s->placed[rank - 1].place : NULL;
        const size_t between = least_of(end - (left ? left->at + left->len : 0), full - have);
        have += between;
        memcpy(around + GRAM_MOST - have, s->text.data + end - between, between);
        if (!left || have == full)
            return have;
        const struct text_ref other = text_of_rank(s, rank - 1, now);
        const size_t part = least_of(other.len, full - have);
        have += part;
        if (part > 0)
            memcpy(around + GRAM_MOST - have, other.data + other.len - part, part);
    }
}

/* Adds what stands behind the place of rank RANK to OUT. */
static void add_behind(const struct sorting *s, size_t rank, size_t now, struct buf *out) {
    const size_t full = out->len + s->grams.size - 1;
    for (;; rank++) {
        const size_t from = s->placed[rank].place.at + s->placed[rank].place.len;
        const bool last = rank + 1 == s->placed_n;
        const size_t to = last ? s->text.len : s->placed[rank + 1].place.at;
        buf_add(out, s->text.data + from, least_of(to - from, full - out->len));
        if (last || out->len >= full || out->failed)
            return;
        const struct text_ref other = text_of_rank(s, rank + 1, now);
        buf_add(out, other.data, least_of(other.len, full - out->len));
    }
}

/* Marks the grams that edit number I makes.  False without memory. */
static bool mark_made(struct sorting *s, size_t i, struct buf *around) {
    char before[GRAM_MOST];
    const size_t rank = s->ranks[i], n = copy_before(s, rank, i, before);
    buf_clear(around);
    buf_add(around, before + GRAM_MOST - n, n);
    buf_add(around, s->edits[i].new_str.data, s->edits[i].new_str.len);
    add_behind(s, rank, i, around);
    if (around->len > 0)
        add_made(&s->grams, around->data, around->len);
    return !around->failed;
}

/* Ends the batch before an edit all of whose grams may have been made by those before it. */
static void drop_unsure(struct sorting *s) {
    AUTO(buf_free) struct buf around = {0};
    size_t at, i = 0;
    uint64_t hash;
    while (i < s->n && find_sure_gram(&s->grams, s->edits[i].old_str, &at, &hash) &&
           mark_made(s, i, &around))
        i++;
    s->n = i;
    drop_others(s);
}

/* -- the batch --------------------------------------------------------------------------------- */

static void take_batch(const struct sorting *s, struct edit_batch *out) {
    out->news = calloc(s->placed_n + 1, sizeof *out->news);
    bool ok = out->news != NULL;
    for (size_t i = 0; ok && i < s->placed_n; i++) {
        out->news[i] = s->edits[s->placed[i].edit].new_str;
        ok = spans_add(&out->places, s->placed[i].place);
    }
    if (!ok)
        batch_free(out);
}

/* The size of grams that suits the shortest old_str. */
static size_t gram_size(const struct edit *edits, size_t n) {
    size_t size = GRAM_MOST;
    for (size_t i = 0; i < n && !edits[i].all; i++)
        size = least_of(size, edits[i].old_str.len);
    return size < GRAM_LEAST ? GRAM_LEAST : size;
}

void batch_find(struct text_ref text, const struct edit *edits, size_t n, struct edit_batch *out) {
    AUTO(free_sorting) struct sorting s = {.text = text, .edits = edits, .n = n};
    s.placed = calloc(n + 1, sizeof *s.placed);
    s.ranks = calloc(n + 1, sizeof *s.ranks);
    if (!s.placed || !s.ranks || !open_grams(&s.grams, gram_size(edits, n), text.len) ||
        !count_grams(&s.grams, text, edits[0].budget))
        return;
    choose_grams(&s);
    if (!find_batch_places(&s, edits[0].budget))
        return;
    order_places(&s);
    drop_unsure(&s);
    take_batch(&s, out);
}
