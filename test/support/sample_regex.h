/* sample_regex.h -- random regular expressions, and texts for them: for tests.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SAMPLE_REGEX_H
#define SAMPLE_REGEX_H

#include "buf.h"

#include <stdint.h>

/* Appends a pattern of any syntax that one version of PCRE2 or another knows; it need not compile.
 */
void sample_pattern(uint64_t *state, struct buf *out);
/* Appends lines of what these patterns ask for. */
void sample_lines(uint64_t *state, struct buf *out);

/* Appends a pattern of few characters and many repeats. */
void sample_near_pattern(uint64_t *state, struct buf *out);
/* Appends lines that match PATTERN, or nearly so. */
void sample_near_lines(uint64_t *state, const char *pattern, struct buf *out);

#endif
