/* lines.h -- lines of a text: their endings, how they are shown, moving among them.
 *
 * Text is UTF-8.  A line ends at \n alone: a lone CR, a form feed or U+2028 is
 * part of its line.  The last line may lack its \n; an empty text has no lines.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LINES_H
#define AQFS_LINES_H

#include "buf.h"

/* A text's line endings as far as it was seen, in pieces of any size.  Zero it at the start. */
struct endings {
    int64_t bytes;
    int64_t newlines;
    int64_t crlf; /* newlines that follow a CR */
    bool any_cr;
    char last; /* the byte before the next piece */
};

void endings_add(struct endings *e, const char *text, size_t n);

int64_t endings_lines(const struct endings *e);

/* "lf", "crlf", "mixed", "cr" (CRs and no newline: one line) or "none". */
const char *endings_name(const struct endings *e);

/* Is there a newline, and does every newline follow a CR?  Such a text is shown and edited with LF.
 */
bool endings_are_crlf(const struct endings *e);

/* Replaces each CRLF with LF, in place.  Returns the new length. */
size_t text_crlf_to_lf(char *text, size_t n);

/* Appends TEXT with each LF replaced by CRLF.  Undoes text_crlf_to_lf when endings_are_crlf. */
void text_add_crlf(struct buf *out, const char *text, size_t n);

/* The end of the line that begins at LINE: after its \n, or END. */
const char *text_next_line(const char *line, const char *end);

/* The columns of white space before the first other character; a tab goes to the next multiple
 * of 8. */
size_t text_indentation(const char *line, size_t n);

/* Does a word contain C: a letter, a digit, `_`, or a byte of a character that is not ASCII? */
static inline bool text_is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (unsigned char)c >= 0x80;
}

/* Of a longer line, only this many characters are shown. */
#define TEXT_LINE_MAX 400

/* Appends a line without its ending.  A line that is too long is cut, and the cut is marked. */
void text_add_line(struct buf *out, const char *line, size_t n);

/* Does text_add_line cut no line of TEXT?  May answer no where it is only the bytes of a line that
 * are many. */
bool text_lines_are_short(const char *text, size_t n);

/* Offsets below are in bytes.  None of these functions allocates memory, and none reads more of the
 * text than it must. */

/* The number of newlines. */
size_t lines_count(const char *text, size_t n);

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
