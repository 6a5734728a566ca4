/* nearmiss_seek.c -- where a text shares most with a needle: see nearmiss_parts.h.
 *
 * The needle is split into sequences of four bytes ("grams").  A gram that is
 * rare in the text says more than a common one, so each has a weight that
 * follows its rarity.  The text is split into blocks as long as the needle.
 * The needle is probably in the two neighbouring blocks that together weigh
 * most.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "nearmiss_parts.h"

#include <endian.h>
#include <string.h>

enum {
    GRAM = 4,
    GRAMS_MOST = 1024, /* a longer needle gives this many, evenly spread */
    SLOT_BITS = 15,
    SLOTS = 1 << SLOT_BITS,
    BLOCK_LEAST = 64,
    /* In a large text only every eighth piece is counted to learn which grams are rare. */
    PIECE = 4096,
    PIECES_SKIPPED = 8,
    SAMPLED_FROM = 1 << 20,
    BUCKET = 16,
    VOTERS_MOST =
        1 << 20, /* bytes that all guesses together may read, but at least one guess is made */
};

struct gram {
    uint32_t bytes;
    uint32_t weight;
    size_t at; /* in the needle */
    bool
        repeated; /* occurs more than once in the needle, so does not say where the needle begins */
    size_t found; /* occurrences in the text */
    size_t block; /* the last block it was seen in, counted from 1 */
};

struct seeker {
    const struct folded *text, *old;
    struct gram grams[GRAMS_MOST];
    size_t count;
    uint64_t filter[SLOTS / 64]; /* which slots are taken; small enough for the processor's cache */
    uint16_t slots[SLOTS];       /* a gram's index, from 1 */
};

/* The same number on every processor: it decides which grams share a slot, and so the hints. */
static uint32_t load_gram(const char *bytes) {
    uint32_t gram;
    memcpy(&gram, bytes, GRAM);
    return le32toh(gram);
}

static uint32_t slot_of_gram(uint32_t gram) {
    return gram * UINT32_C(0x9E3779B1) >> (32 - SLOT_BITS);
}

static inline struct gram *find_gram(struct seeker *s, const char *bytes) {
    const uint32_t gram = load_gram(bytes), slot = slot_of_gram(gram);
    if (!(s->filter[slot / 64] >> slot % 64 & 1))
        return NULL;
    struct gram *g = &s->grams[s->slots[slot] - 1];
    return g->bytes == gram ? g : NULL;
}

/* Leaves out a gram whose slot is taken by another; few are. */
static void take_grams(struct seeker *s) {
    const size_t last = s->old->len - GRAM, step = last / GRAMS_MOST + 1;
    for (size_t at = 0; at <= last; at += step) {
        const uint32_t gram = load_gram(s->old->data + at), slot = slot_of_gram(gram);
        if (s->slots[slot] == 0) {
            s->grams[s->count++] = (struct gram){.bytes = gram, .at = at};
            s->slots[slot] = (uint16_t)s->count;
            s->filter[slot / 64] |= UINT64_C(1) << slot % 64;
        } else if (s->grams[s->slots[slot] - 1].bytes == gram) {
            s->grams[s->slots[slot] - 1].repeated = true;
        }
    }
}

static unsigned log2_of(size_t n) {
    return n > 0 ? 63U - (unsigned)__builtin_clzll(n) : 0;
}

static void weigh_grams(struct seeker *s) {
    const size_t last = s->text->len - GRAM;
    const size_t step = s->text->len >= SAMPLED_FROM ? PIECES_SKIPPED : 1;
    for (size_t piece = 0; piece <= last; piece += PIECE * step) {
        const size_t end = last - piece < PIECE ? last : piece + PIECE;
        for (size_t at = piece; at <= end; at++) {
            struct gram *g = find_gram(s, s->text->data + at);
            if (g)
                g->found++;
        }
    }
    for (size_t i = 0; i < s->count; i++) {
        struct gram *g = &s->grams[i];
        unsigned all = log2_of(s->text->len), found = log2_of(g->found * step + 1);
        g->weight = all > found ? all - found : 1;
    }
}

/* -- blocks ----------------------------------------------------------------------------------- */

static void weigh_blocks(struct seeker *s, size_t block_len, uint32_t *weights) {
    const size_t last = s->text->len - GRAM;
    size_t block = 0;
    for (size_t start = 0; start <= last; start += block_len, block++) {
        const size_t end = last - start < block_len ? last + 1 : start + block_len;
        uint32_t weight = 0;
        for (size_t at = start; at < end; at++) {
            struct gram *g = find_gram(s, s->text->data + at);
            if (g && g->block != block + 1) {
                g->block = block + 1;
                weight += g->weight;
            }
        }
        weights[block] = weight;
    }
}

struct best {
    size_t block;
    uint32_t weight;
};

/* Keeps the SEEK_GUESSES pairs of neighbouring blocks that weigh most, the heaviest first.  Of two
 * pairs that share a block it keeps the heavier. */
static int best_pairs(const uint32_t *weights, size_t blocks, struct best best[SEEK_GUESSES]) {
    int n = 0;
    for (size_t b = 0; b < blocks; b++) {
        const uint32_t weight = weights[b] + (b + 1 < blocks ? weights[b + 1] : 0);
        if (weight == 0 || (n == SEEK_GUESSES && weight <= best[n - 1].weight))
            continue;
        int twin = 0;
        while (twin < n && best[twin].block + 1 != b)
            twin++;
        if (twin < n && best[twin].weight >= weight)
            continue;
        int i = twin < n ? twin : n < SEEK_GUESSES ? n++ : n - 1;
        for (; i > 0 && best[i - 1].weight < weight; i--)
            best[i] = best[i - 1];
        best[i] = (struct best){b, weight};
    }
    return n;
}

/* -- where in the blocks ---------------------------------------------------------------------- */

/* Finds where the needle begins within LEN bytes at START.  Each gram votes for one beginning.  A
 * word more or less shifts the votes, so they are counted in buckets of BUCKET offsets. */
static size_t find_start(struct seeker *s, size_t start, size_t len, uint32_t *votes) {
    const size_t old_len = s->old->len, buckets = (len + old_len) / BUCKET + 2;
    memset(votes, 0, buckets * sizeof *votes);
    for (size_t i = 0; i + GRAM <= len; i++) {
        const struct gram *g = find_gram(s, s->text->data + start + i);
        if (g && !g->repeated)
            votes[(i + old_len - g->at) / BUCKET] += g->weight;
    }
    size_t winner = 0;
    for (size_t b = 0; b + 1 < buckets; b++)
        if (votes[b] + votes[b + 1] > votes[winner] + votes[winner + 1])
            winner = b;
    size_t at =
        start + (winner + 1) * BUCKET; /* greater by the needle's length, as the votes are */
    return at > old_len ? at - old_len : 0;
}

int nearmiss_seek(const struct folded *text, const struct folded *old,
                  size_t guesses[SEEK_GUESSES]) {
    if (old->len < GRAM || text->len < GRAM)
        return 0;
    const size_t block_len = old->len > BLOCK_LEAST ? old->len : BLOCK_LEAST;
    const size_t blocks = (text->len - GRAM) / block_len + 1;
    AUTO_FREE struct seeker *s = calloc(1, sizeof *s);
    AUTO_FREE uint32_t *weights = malloc(blocks * sizeof *weights);
    AUTO_FREE uint32_t *votes = malloc(((2 * block_len + old->len) / BUCKET + 2) * sizeof *votes);
    if (!s || !weights || !votes)
        return -1;
    s->text = text;
    s->old = old;
    take_grams(s);
    weigh_grams(s);
    weigh_blocks(s, block_len, weights);
    struct best best[SEEK_GUESSES];
    const size_t worth = VOTERS_MOST / (2 * block_len) + 1;
    int n = best_pairs(weights, blocks, best);
    n = (size_t)n < worth ? n : (int)worth;
    for (int i = 0; i < n; i++) {
        const size_t start = best[i].block * block_len, rest = text->len - start;
        const size_t len = rest < 2 * block_len ? rest : 2 * block_len;
        guesses[i] = find_start(s, start, len, votes);
        guesses[i] = guesses[i] < text->len ? guesses[i] : text->len - 1;
    }
    return n;
}
