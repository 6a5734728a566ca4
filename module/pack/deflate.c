/* deflate.c -- bytes made smaller, quickly: see deflate.h. */
#include "deflate.h"

#include <stdlib.h>

#define SLOT_BITS 14
#define WINDOW 32768
#define MATCH_LEAST 4
#define MATCH_MOST 258
/* Inputs are given numbers one after the other, so that the table need not be cleared between. */
#define NUMBER_MOST 0x80000000U
#define STORED_MOST 65535
/* Without a match for so many bytes they are tried less and less often. */
#define PATIENCE 6

struct code {
    uint32_t bits;
    uint32_t n;
};

struct deflate {
    uint32_t slots[1 << SLOT_BITS]; /* where four bytes were seen last: base + position + 1 */
    uint32_t base;
    struct code literals[257];           /* the last one ends a block */
    struct code lengths[MATCH_MOST + 1]; /* symbol and extra bits */
    struct code distances[30];           /* symbols alone */
    uint16_t first_distance[30];
};

/* Bits are put in from the lowest up. */
struct bits {
    char *out;
    uint64_t held;
    unsigned n;
};

/* -- the fixed codes (RFC 1951, 3.2.5 and 3.2.6) ----------------------------------------------- */

/* Huffman codes are sent with their highest bit first. */
static uint32_t reversed(uint32_t code, unsigned n) {
    uint32_t out = 0;
    for (unsigned i = 0; i < n; i++)
        out |= (code >> i & 1) << (n - 1 - i);
    return out;
}

static struct code symbol_code(unsigned symbol) {
    if (symbol < 144)
        return (struct code){reversed(0x30 + symbol, 8), 8};
    if (symbol < 256)
        return (struct code){reversed(0x190 + symbol - 144, 9), 9};
    if (symbol < 280)
        return (struct code){reversed(symbol - 256, 7), 7};
    return (struct code){reversed(0xC0 + symbol - 280, 8), 8};
}

static void make_lengths(struct deflate *d) {
    unsigned symbol = 257, length = 3;
    for (; symbol < 285; symbol++) {
        unsigned extra = symbol < 265 ? 0 : (symbol - 261) / 4;
        for (unsigned i = 0; i < 1U << extra && length < MATCH_MOST; i++, length++) {
            struct code code = symbol_code(symbol);
            d->lengths[length] = (struct code){code.bits | i << code.n, code.n + extra};
        }
    }
    d->lengths[MATCH_MOST] = symbol_code(285);
}

static unsigned distance_extra(unsigned symbol) {
    return symbol < 4 ? 0 : symbol / 2 - 1;
}

static void make_distances(struct deflate *d) {
    unsigned distance = 1;
    for (unsigned symbol = 0; symbol < 30; symbol++) {
        d->first_distance[symbol] = (uint16_t)distance;
        d->distances[symbol] = (struct code){reversed(symbol, 5), 5};
        distance += 1U << distance_extra(symbol);
    }
}

struct deflate *deflate_new(void) {
    struct deflate *d = calloc(1, sizeof *d);
    if (!d)
        return NULL;
    for (unsigned symbol = 0; symbol < 257; symbol++)
        d->literals[symbol] = symbol_code(symbol);
    make_lengths(d);
    make_distances(d);
    return d;
}

void deflate_free(struct deflate *d) {
    free(d);
}

/* -- bits -------------------------------------------------------------------------------------- */

static inline void put(struct bits *b, uint32_t bits, unsigned n) {
    b->held |= (uint64_t)bits << b->n;
    b->n += n;
    while (b->n >= 32) {
        for (unsigned i = 0; i < 4; i++)
            *b->out++ = (char)(b->held >> (8 * i) & 0xFF);
        b->held >>= 32;
        b->n -= 32;
    }
}

static inline void put_code(struct bits *b, struct code code) {
    put(b, code.bits, code.n);
}

static void put_rest(struct bits *b) {
    for (; b->n > 0; b->n = b->n > 8 ? b->n - 8 : 0) {
        *b->out++ = (char)(b->held & 0xFF);
        b->held >>= 8;
    }
}

/* -- matches ----------------------------------------------------------------------------------- */

static inline uint32_t four(const char *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline size_t slot_of(uint32_t word) {
    return word * 2654435761U >> (32 - SLOT_BITS);
}

static size_t match_length(const char *a, const char *b, size_t most) {
    size_t n = MATCH_LEAST;
    while (n < most && a[n] == b[n])
        n++;
    return n;
}

static void put_match(const struct deflate *d, struct bits *b, size_t length, size_t distance) {
    unsigned less = (unsigned)distance - 1, symbol = less;
    if (less >= 4) { /* two symbols share a highest bit: which one, the bit below it says */
        unsigned top = 31U - (unsigned)__builtin_clz(less);
        symbol = 2 * top + (less >> (top - 1) & 1);
    }
    put_code(b, d->lengths[length]);
    put_code(b, d->distances[symbol]);
    put(b, (uint32_t)(distance - d->first_distance[symbol]), distance_extra(symbol));
}

/* Where the four bytes at AT were seen last; NONE where they were not, or too far away. */
#define NONE SIZE_MAX
static inline size_t look_up(struct deflate *d, const char *bytes, size_t at) {
    uint32_t word = four(bytes + at);
    uint32_t *slot = &d->slots[slot_of(word)];
    uint32_t seen = *slot;
    *slot = d->base + (uint32_t)at + 1;
    if (seen <= d->base)
        return NONE;
    size_t place = seen - d->base - 1;
    return at - place <= WINDOW && four(bytes + place) == word ? place : NONE;
}

static void put_literals(const struct deflate *d, struct bits *b, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        put_code(b, d->literals[(unsigned char)bytes[i]]);
}

/* One block with the fixed codes, of all. */
static void put_block(struct deflate *d, struct bits *b, const char *bytes, size_t n) {
    size_t at = 0, told = 0;
    put(b, 3, 3); /* the last block; fixed codes */
    while (at + MATCH_LEAST <= n) {
        size_t place = look_up(d, bytes, at);
        if (place == NONE) {
            at += 1 + ((at - told) >> PATIENCE);
            continue;
        }
        size_t most = n - at < MATCH_MOST ? n - at : MATCH_MOST;
        size_t length = match_length(bytes + at, bytes + place, most);
        put_literals(d, b, bytes + told, at - told);
        put_match(d, b, length, at - place);
        at += length;
        told = at;
    }
    put_literals(d, b, bytes + told, n - told);
    put_code(b, d->literals[256]);
    put_rest(b);
}

/* -- the whole --------------------------------------------------------------------------------- */

static uint32_t adler(const char *bytes, size_t n) {
    uint32_t a = 1, b = 0;
    while (n > 0) {
        size_t part = n < 5552 ? n : 5552; /* the most for which b stays below 2^32 */
        n -= part;
        while (part-- > 0) {
            a += (unsigned char)*bytes++;
            b += a;
        }
        a %= 65521;
        b %= 65521;
    }
    return b << 16 | a;
}

/* As it is, in blocks of a length that is told. */
static void add_stored(struct buf *out, const char *bytes, size_t n) {
    do {
        size_t part = n < STORED_MOST ? n : STORED_MOST;
        buf_char(out, part == n);
        buf_char(out, (char)(part & 0xFF));
        buf_char(out, (char)(part >> 8));
        buf_char(out, (char)(~part & 0xFF));
        buf_char(out, (char)(~part >> 8 & 0xFF));
        buf_add(out, bytes, part);
        bytes += part;
        n -= part;
    } while (n > 0);
}

static void add_blocks(struct deflate *d, const char *bytes, size_t n, struct buf *out) {
    size_t start = out->len;
    /* Nine bits a byte at most. */
    if (n >= NUMBER_MOST || !buf_reserve(out, n + n / 8 + 16)) {
        add_stored(out, bytes, n);
        return;
    }
    if (d->base > NUMBER_MOST - (uint32_t)n) {
        memset(d->slots, 0, sizeof d->slots);
        d->base = 0;
    }
    struct bits b = {.out = out->data + start};
    put_block(d, &b, bytes, n);
    d->base += (uint32_t)n;
    out->len = (size_t)(b.out - out->data);
    out->data[out->len] = '\0';
    if (out->len - start > n + 5 * (n / STORED_MOST + 1)) {
        out->len = start;
        add_stored(out, bytes, n);
    }
}

void deflate_zlib(struct deflate *d, const char *bytes, size_t n, struct buf *out) {
    buf_add(out, "\x78\x01", 2); /* a window of 32 KiB, fastest */
    add_blocks(d, bytes, n, out);
    uint32_t sum = adler(bytes, n);
    for (int i = 24; i >= 0; i -= 8)
        buf_char(out, (char)(sum >> i & 0xFF));
}
