/* replace.h -- exact edits of a text in memory: str_replace and insert_at_line; and the lines that
 * they made, to show.
 *
 * The text is as it is shown: UTF-8, without byte order mark, with \n where all
 * its lines end in \r\n.  Only the exact bytes match, and only what matched is
 * changed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REPLACE_H
#define AQFS_REPLACE_H

#include "args.h"
#include "buf.h"
#include "lines.h"

struct edit {
    struct text_ref old_str, new_str;
};

/* Finds the only occurrence of old_str.  Overlapping occurrences count: `aa` is twice in `aaa`.
 *
 * AQFS_INVALID_ARGUMENT when old_str is empty or equals new_str; AQFS_NO_MATCH, with the nearest
 * place (nearmiss.h); AQFS_MULTIPLE_MATCHES, with the lines.  Takes time linear in both texts. */
int replace_find(struct text_ref text, const struct edit *edit, size_t *at, struct error *e);

/* Writes TEXT with the N edits made to OUT, which must be empty.  Each edit applies to the result
 * of the one before it.  When one fails, OUT is empty again and the message says which edit failed.
 *
 * SPANS, with room for N, receives the new places in OUT, in order; SPAN_COUNT is their number.
 * Places that touch are joined. */
int replace_apply(struct text_ref text, const struct edit *edits, size_t n, struct buf *out,
                  struct span *spans, size_t *span_count, struct error *e);

/* Writes TEXT to OUT, which must be empty, with CONTENT inserted as lines of its own after line
 * LINE; 0 is the beginning, -1 the end.  AQFS_INVALID_ARGUMENT when TEXT has no such line or
 * CONTENT is empty.
 *
 * A newline is added only where two lines would otherwise become one: before CONTENT when the line
 * above it is unfinished, and after CONTENT when a line follows.  At the end, CONTENT gets a final
 * newline when the text ended in one, and is otherwise left as it is.  SPAN is the place of
 * CONTENT, including a newline added after it. */
int replace_insert(struct text_ref text, int64_t line, struct text_ref content, struct buf *out,
                   struct span *span, struct error *e);

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
