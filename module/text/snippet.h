/* snippet.h -- what an edit made, shown: the changed lines among their neighbours, numbered as
 * `cat -n` numbers them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNIPPET_H
#define AQFS_SNIPPET_H

#include "args.h"
#include "buf.h"
#include "linewise.h"

/* The first and the last line that a span touches, counted from 1; 0 and 0 for an empty text. */
struct line_range {
    size_t first, last;
};

/* Appends the lines of TEXT that the SPANS touch, and CONTEXT lines before and after each.  An
 * empty span, where something was removed, touches the line it is in.  `...` stands between lines
 * that are not neighbours.  No more than LIMIT bytes are added; what is missing is said.
 *
 * SPANS are in order and do not overlap; the answer is the range of them all. */
struct line_range snippet_add(struct buf *out, struct text_ref text, const struct span *spans,
                              size_t n, size_t context, size_t limit);

#endif
