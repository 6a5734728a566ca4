/* replace.h -- exact edits of a text in memory: str_replace and insert_at_line.
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
#include "budget.h"
#include "buf.h"
#include "spans.h"

struct edit {
    struct text_ref old_str, new_str;
    bool all;        /* replaces every occurrence, from the beginning on; none overlaps another */
    size_t expected; /* with `all`: how many there must be; 0 for any number */
    bool nearly;     /* where old_str does not occur, correction.h says what is meant */
    struct budget *budget; /* when it ends, so does the search for places; or NULL */
};

/* The text that edits have made. */
struct replaced {
    struct buf text;
    struct spans spans; /* the new places in it */
    size_t count;       /* how many occurrences were replaced */
    struct buf nearest; /* after AQFS_NO_MATCH: the lines that are nearest, if anything is near */
};
void replaced_free(struct replaced *r);

/* Finds the only occurrence of old_str.  Overlapping occurrences count: `aa` is twice in `aaa`.
 *
 * AQFS_INVALID_ARGUMENT when old_str is empty or equals new_str; AQFS_NO_MATCH, with the nearest
 * place (nearmiss.h); AQFS_MULTIPLE_MATCHES, with the lines.  Takes time linear in both texts. */
int replace_find(struct text_ref text, const struct edit *edit, size_t *at, struct error *e);

/* Makes the N edits in TEXT; OUT must be zeroed.  Each edit applies to the result of the one before
 * it.  When one fails, OUT->text is empty and the message says which edit failed.
 * AQFS_MULTIPLE_MATCHES also when there are not as many occurrences as were expected.  The errors
 * of fail_budget when the budget of an edit has ended.  Call replaced_free in any case. */
int replace_apply(struct text_ref text, const struct edit *edits, size_t n, struct replaced *out,
                  struct error *e);

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

#endif
