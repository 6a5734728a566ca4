/* decoded.h -- a text without what a model adds to what it read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DECODED_H
#define AQFS_DECODED_H

#include "args.h"
#include "buf.h"

/* Appends TEXT to OUT without the numbers before its lines.  False unless every line has a number,
 * each greater by one than the one before it. */
bool text_without_numbers(struct text_ref text, struct buf *out);

/* Appends TEXT to OUT without what a diff puts before its lines, a space or MARK.  False unless one
 * of these stands before every line, and MARK before one. */
bool text_without_marks(struct text_ref text, char mark, struct buf *out);

/* Appends TEXT to OUT with its escapes of JSON and HTML undone.  Returns a bit for each kind of
 * escape that it has. */
unsigned text_without_escapes(struct text_ref text, struct buf *out);

#endif
