/* snippet.h -- the lines that edits made, to show.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNIPPET_H
#define AQFS_SNIPPET_H

#include "args.h"
#include "buf.h"
#include "lines.h"

/* The first and the last line that spans touch, counted from 1; 0 and 0 for an empty text. */
struct line_range {
    size_t first, last;
};

/* Appends the lines of TEXT that the SPANS touch, numbered as by `cat -n`, with CONTEXT lines
 * before and after each.  An empty span, where text was removed, touches the line it is in.  `...`
 * separates lines that are not neighbours.  Appends at most LIMIT bytes; a last line says where the
 * rest begins.
 *
 * SPANS must be in order and must not overlap.  Returns the range of all of them. */
struct line_range snippet_add(struct buf *out, struct text_ref text, const struct span *spans,
                              size_t n, size_t context, size_t limit);

#endif
