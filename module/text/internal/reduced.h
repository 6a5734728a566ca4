/* reduced.h -- a text as layout leaves it: lines without the white space around them, with the
 * quotes of a keyboard.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REDUCED_H
#define AQFS_REDUCED_H

#include "args.h"
#include "budget.h"
#include "buf.h"
#include "lines.h"

/* A line of a text: its offset, and what it has between the white space around it. */
struct bare_line {
    size_t at, end;    /* of the whole line, with its newline */
    struct span inner; /* in the text */
    size_t reduced_at; /* where it begins in the reduced text */
};

struct reduced {
    struct text_ref text;
    bool loose;       /* white space within a line is one space, however much it is */
    struct buf bytes; /* each line ends in a newline, also an unfinished last one */
    struct bare_line *lines;
    size_t n;
    size_t looked_at; /* how long `bytes` was when the budget was last looked at */
    bool ended;       /* the budget has */
};

/* False without memory, or when BUDGET ends, which may be NULL.  Call free_reduced in either case.
 */
bool reduce_text(struct text_ref text, bool loose, struct budget *budget, struct reduced *out);
void free_reduced(struct reduced *r);

/* The line of R that holds offset AT of its reduced text. */
size_t line_of_reduced(const struct reduced *r, size_t at);

/* The offset in the text of what is SKIP bytes into the reduced LINE. */
size_t place_in_line(const struct reduced *r, const struct bare_line *line, size_t skip);

#endif
