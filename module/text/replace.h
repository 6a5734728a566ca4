/* replace.h -- exact edits of a text in memory: str_replace and insert_at_line.
 *
 * The text is as it is shown: UTF-8, without byte order mark, with \n where all
 * its lines end in \r\n.  Nothing is matched but the very bytes, and nothing
 * changes but what was matched.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REPLACE_H
#define AQFS_REPLACE_H

#include "args.h"
#include "buf.h"
#include "linewise.h"

struct edit {
    struct text_ref old_str, new_str;
};

/* Where the only occurrence of old_str begins.  Overlapping occurrences count: `aa` is twice in
 * `aaa`.
 *
 * AQFS_INVALID_ARGUMENT when old_str is empty or new_str the same, AQFS_NO_MATCH with what comes
 * next to it (nearmiss.h), AQFS_MULTIPLE_MATCHES with their lines.  Takes time linear in both. */
int replace_find(struct text_ref text, const struct edit *edit, size_t *at, struct error *e);

/* Makes OUT, which is empty, TEXT with the N edits made, each in what the one before it left; all
 * or none: on failure OUT is empty again, and the message tells which edit it was.  SPANS, of room
 * for N, become the places in OUT that are new, in order, those that touch joined: SPAN_COUNT. */
int replace_apply(struct text_ref text, const struct edit *edits, size_t n, struct buf *out,
                  struct span *spans, size_t *span_count, struct error *e);

/* Makes OUT, which is empty, TEXT with CONTENT as lines of their own behind line LINE: 0 is the
 * beginning, -1 the end.  AQFS_INVALID_ARGUMENT for any other line that TEXT does not have, and for
 * no content.
 *
 * A newline is added only where two lines would become one: in front of CONTENT behind an
 * unfinished last line, and after CONTENT where another line follows.  At the end the text keeps
 * its way to end: CONTENT is finished when the last line was, and otherwise left as it came.
 * SPAN becomes where CONTENT is, with the newline that finishes it. */
int replace_insert(struct text_ref text, int64_t line, struct text_ref content, struct buf *out,
                   struct span *span, struct error *e);

#endif
