/* text.h -- lines, their endings, and how they are shown.
 *
 * Text is UTF-8.  A line ends at \n alone: a lone CR, a form feed or U+2028 is
 * part of its line.  The last line may lack its \n; an empty text has no lines.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TEXT_H
#define AQFS_TEXT_H

#include "buf.h"

/* What is known of a text's endings after the bytes so far, in any pieces.  Zeroed at the start. */
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

/* Every newline follows a CR, and there is one: such a text is shown and edited with LF. */
bool endings_are_crlf(const struct endings *e);

/* Makes each CRLF an LF, in place; the new length. */
size_t text_crlf_to_lf(char *text, size_t n);

/* Appends TEXT with each LF made CRLF: undoes text_crlf_to_lf where endings_are_crlf. */
void text_add_crlf(struct buf *out, const char *text, size_t n);

/* Where the line that begins at LINE ends: behind its \n, or END. */
const char *text_next_line(const char *line, const char *end);

/* Columns of white space before the first other character; a tab goes to the next multiple of 8. */
size_t text_indentation(const char *line, size_t n);

/* Is it a byte of a word: a letter, a digit, `_`, or of a character that is not ASCII? */
static inline bool text_is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (unsigned char)c >= 0x80;
}

/* The characters of a line that are shown. */
#define TEXT_LINE_MAX 400

/* Appends a line without its ending, as far as it is shown, and says so when that is not all. */
void text_add_line(struct buf *out, const char *line, size_t n);

#endif
