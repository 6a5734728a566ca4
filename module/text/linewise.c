/* linewise.c -- moving from line to line in a text: see linewise.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "linewise.h"

#include "lines.h"
#include "text.h"

#include <string.h>

size_t linewise_count(const char *text, size_t n) {
    return lines_count(text, n) + (n > 0 && text[n - 1] != '\n');
}

size_t linewise_start(const char *text, size_t at) {
    const char *newline = at > 0 ? memrchr(text, '\n', at) : NULL;
    return newline ? (size_t)(newline - text) + 1 : 0;
}

size_t linewise_above(const char *text, size_t at, size_t count) {
    while (count-- > 0 && at > 0)
        at = linewise_start(text, at - 1);
    return at;
}

size_t linewise_below(const char *text, size_t n, size_t at, size_t count) {
    const char *line = text + at;
    while (count-- > 0 && line < text + n)
        line = text_next_line(line, text + n);
    return (size_t)(line - text);
}

#define PIECE 4096 /* memcmp says that two pieces differ, but not where */

size_t common_head(const char *a, const char *b, size_t n) {
    size_t same = 0;
    while (n - same >= PIECE && memcmp(a + same, b + same, PIECE) == 0)
        same += PIECE;
    while (same < n && a[same] == b[same])
        same++;
    return same;
}

size_t common_tail(const char *a_end, const char *b_end, size_t n) {
    size_t same = 0;
    while (n - same >= PIECE && memcmp(a_end - same - PIECE, b_end - same - PIECE, PIECE) == 0)
        same += PIECE;
    while (same < n && a_end[-1 - (ptrdiff_t)same] == b_end[-1 - (ptrdiff_t)same])
        same++;
    return same;
}
