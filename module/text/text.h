/* text.h -- lines, their endings, and how lines are shown.
 *
 * Text is UTF-8.  A line ends at \n alone: a lone CR, a form feed or U+2028 is
 * part of its line.  The last line may lack its \n; an empty text has no lines.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TEXT_H
#define AQFS_TEXT_H

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

#endif
