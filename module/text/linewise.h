/* linewise.h -- going from line to line in a text in memory.
 *
 * Lines are those of text.h: they end at \n alone.  Offsets are bytes; none of
 * these allocates, and all go through the text no faster than they must.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LINEWISE_H
#define AQFS_LINEWISE_H

#include <stddef.h>

static inline size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Some bytes of a text. */
struct span {
    size_t at, len;
};

/* The lines of TEXT, an unfinished last one counted. */
size_t linewise_count(const char *text, size_t n);

/* Where the line that holds offset AT begins. */
size_t linewise_start(const char *text, size_t at);

/* Where the line COUNT lines above or below the one that begins at AT begins; 0 or N where there
 * are not so many. */
size_t linewise_above(const char *text, size_t at, size_t count);
size_t linewise_below(const char *text, size_t n, size_t at, size_t count);

/* How many bytes A and B of N bytes each have in common at their beginning, and at their end. */
size_t common_head(const char *a, const char *b, size_t n);
size_t common_tail(const char *a_end, const char *b_end, size_t n);

#endif
