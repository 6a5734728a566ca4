/* sample.h -- random input for tests, the same in every run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stddef.h>
#include <stdint.h>

/* Random numbers (xorshift).  STATE may begin as anything but zero. */
uint32_t sample_number(uint64_t *state);
/* A random number below LIMIT, which is not zero. */
uint32_t sample_below(uint64_t *state, uint32_t limit);

/* Writes CODE_POINT as UTF-8, also a surrogate.  Returns the number of bytes. */
size_t sample_utf8(uint32_t code_point, char out[4]);

/* Fills OUT with random PIECES, and now and then with random bytes; at most MOST bytes.  Returns
 * the length. */
size_t sample_text(uint64_t *state, const char *const *pieces, uint32_t piece_count, char *out,
                   size_t most);

#endif
