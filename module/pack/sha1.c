/* sha1.c -- the checksum that git's packs end in: FIPS 180-4. */
#include "sha1.h"

#include <string.h>

static inline uint32_t rotate(uint32_t word, int left) {
    return word << left | word >> (32 - left);
}

static uint32_t load(const unsigned char *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void store(unsigned char *out, uint32_t word) {
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(word >> (24 - 8 * i));
}

/* The words of the message schedule are kept sixteen at a time. */
static inline uint32_t next_word(uint32_t w[16], unsigned i) {
    if (i < 16)
        return w[i];
    w[i & 15] = rotate(w[(i + 13) & 15] ^ w[(i + 8) & 15] ^ w[(i + 2) & 15] ^ w[i & 15], 1);
    return w[i & 15];
}

static inline void round_of(uint32_t v[5], uint32_t mixed, uint32_t word) {
    uint32_t first = rotate(v[0], 5) + mixed + v[4] + word;
    v[4] = v[3];
    v[3] = v[2];
    v[2] = rotate(v[1], 30);
    v[1] = v[0];
    v[0] = first;
}

static void compress(struct sha1 *h, const unsigned char *block) {
    uint32_t w[16], v[5];
    memcpy(v, h->state, sizeof v);
    for (unsigned i = 0; i < 16; i++)
        w[i] = load(block + 4 * i);
#pragma GCC unroll 20
    for (unsigned i = 0; i < 20; i++)
        round_of(v, ((v[1] & v[2]) | (~v[1] & v[3])) + 0x5A827999, next_word(w, i));
#pragma GCC unroll 20
    for (unsigned i = 20; i < 40; i++)
        round_of(v, (v[1] ^ v[2] ^ v[3]) + 0x6ED9EBA1, next_word(w, i));
#pragma GCC unroll 20
    for (unsigned i = 40; i < 60; i++)
        round_of(v, ((v[1] & v[2]) | (v[1] & v[3]) | (v[2] & v[3])) + 0x8F1BBCDC, next_word(w, i));
#pragma GCC unroll 20
    for (unsigned i = 60; i < 80; i++)
        round_of(v, (v[1] ^ v[2] ^ v[3]) + 0xCA62C1D6, next_word(w, i));
    for (unsigned i = 0; i < 5; i++)
        h->state[i] += v[i];
}

void sha1_start(struct sha1 *h) {
    static const uint32_t start[5] = {0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0};
    memset(h, 0, sizeof *h);
    memcpy(h->state, start, sizeof start);
}

void sha1_add(struct sha1 *h, const void *bytes, size_t n) {
    const unsigned char *in = bytes;
    const size_t size = sizeof h->block;
    h->counted += n;
    while (n > 0) {
        if (h->held == 0 && n >= size) { /* in place, without the copy */
            compress(h, in);
            in += size;
            n -= size;
            continue;
        }
        size_t part = n < size - h->held ? n : size - h->held;
        memcpy(h->block + h->held, in, part);
        h->held += part;
        in += part;
        n -= part;
        if (h->held == size) {
            compress(h, h->block);
            h->held = 0;
        }
    }
}

void sha1_end(struct sha1 *h, unsigned char out[SHA1_BYTES]) {
    static const unsigned char padding[64] = {0x80};
    unsigned char length[8];
    uint64_t bits = h->counted * 8;
    store(length, (uint32_t)(bits >> 32));
    store(length + 4, (uint32_t)bits);
    size_t pad = h->held < 56 ? 56 - h->held : 120 - h->held;
    sha1_add(h, padding, pad);
    sha1_add(h, length, sizeof length);
    for (unsigned i = 0; i < 5; i++)
        store(out + 4 * i, h->state[i]);
}
