/* linewise.h -- moving from line to line in a text in memory.
 *
 * Lines are those of text.h: they end at \n alone.  Offsets are in bytes.  None
 * of these functions allocates memory, and none reads more of the text than it
 * must.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LINEWISE_H
#define AQFS_LINEWISE_H

#include <stddef.h>

static inline size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* A range of bytes in a text. */
struct span {
    size_t at, len;
};

/* The number of lines, including an unfinished last one. */
size_t linewise_count(const char *text, size_t n);

/* The offset at which the line that holds offset AT begins. */
size_t linewise_start(const char *text, size_t at);

/* The offset of the line that is COUNT lines above or below the line that begins at AT; 0 or N when
 * the text has fewer lines there. */
size_t linewise_above(const char *text, size_t at, size_t count);
size_t linewise_below(const char *text, size_t n, size_t at, size_t count);

/* The number of bytes that A and B, which have N bytes each, share at the beginning or at the end.
 */
size_t common_head(const char *a, const char *b, size_t n);
size_t common_tail(const char *a_end, const char *b_end, size_t n);

#endif
