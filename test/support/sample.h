/* sample.h -- made-up input for tests: the same in every run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Numbers without a pattern (xorshift); STATE begins as anything but zero. */
uint32_t sample_number(uint64_t *state);
/* Below LIMIT, which is not zero. */
uint32_t sample_below(uint64_t *state, uint32_t limit);

/* Writes CODE_POINT as UTF-8, surrogates too; the number of bytes. */
size_t sample_utf8(uint32_t code_point, char out[4]);

/* Fills OUT with random ones of the PIECES, most of the time, or random bytes; at most MOST bytes
 * in all.  The length. */
size_t sample_text(uint64_t *state, const char *const *pieces, uint32_t piece_count, char *out,
                   size_t most);

#endif
