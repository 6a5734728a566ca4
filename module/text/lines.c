/* lines.c -- counting newlines: see lines.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lines.h"

#include <stdint.h>
#include <string.h>

#define LANES 16
typedef unsigned char bytes __attribute__((vector_size(LANES), aligned(1), may_alias));
typedef uint16_t halves __attribute__((vector_size(LANES), aligned(1), may_alias));

/* A lane of eight bits counts no further than this. */
#define ROUNDS_MOST 255

static size_t sum_lanes(bytes lanes) {
    halves pairs = ((halves)lanes & 0xFF) + ((halves)lanes >> 8);
    size_t total = 0;
    for (size_t i = 0; i < LANES / sizeof(uint16_t); i++)
        total += pairs[i];
    return total;
}

/* Adds up comparisons of 16 bytes at a time: a call of memchr for each line would be slower,
 * because lines are short. */
size_t lines_count(const char *text, size_t n) {
    size_t count = 0, at = 0;
    while (n - at >= LANES) {
        size_t rounds = (n - at) / LANES;
        rounds = rounds < ROUNDS_MOST ? rounds : ROUNDS_MOST;
        bytes lanes = {0};
        for (; rounds > 0; rounds--, at += LANES)
            lanes -= (bytes)(*(const bytes *)(const void *)(text + at) == '\n'); /* true is -1 */
        count += sum_lanes(lanes);
    }
    for (; at < n; at++)
        count += text[at] == '\n';
    return count;
}
