/* sample.c -- random input for tests: see sample.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sample.h"

#include <string.h>

uint32_t sample_number(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (uint32_t)(*state >> 32);
}

uint32_t sample_below(uint64_t *state, uint32_t limit) {
    return sample_number(state) % limit;
}

size_t sample_utf8(uint32_t code_point, char out[4]) {
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

size_t sample_text(uint64_t *state, const char *const *pieces, uint32_t piece_count, char *out,
                   size_t most) {
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
