/* sample.h -- made-up input for tests: the same in every run. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Numbers without a pattern (xorshift); STATE begins as anything but zero. */
static inline uint32_t sample_number(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

static inline uint32_t sample_below(uint64_t *state, uint32_t limit) {
    return sample_number(state) % limit;
}

/* Writes CODE_POINT as UTF-8, surrogates too; the number of bytes. */
static inline size_t sample_utf8(uint32_t code_point, char out[4]) {
    if (code_point < 0x80) {
        out[0] = (char)code_point;
        return 1;
    }
    const size_t length = code_point < 0x800 ? 2 : code_point < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = length; i-- > 1; code_point >>= 6)
        out[i] = (char)(0x80 | (code_point & 0x3F));
    out[0] = (char)(leads[length] | code_point);
    return length;
}

/* Appends up to COUNT random ones of the PIECES, most of the time, or random bytes; at most MOST
 * bytes in all.  The length. */
static inline size_t sample_text(uint64_t *state, const char *const *pieces, uint32_t piece_count,
                                 char *out, size_t most) {
    size_t len = 0;
    const size_t want = sample_below(state, (uint32_t)most + 1);
    while (len < want) {
        const char *piece = pieces[sample_below(state, piece_count)];
        const size_t n = strlen(piece);
        if (sample_below(state, 4) == 0) {
            out[len++] = (char)sample_below(state, 256);
        } else if (n <= want - len) {
            for (size_t i = 0; i < n; i++)
                out[len++] = piece[i];
        }
    }
    return len;
}

#endif
