/* indentation.h -- how the indentation of lines differs from that of other lines, everywhere alike.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_INDENTATION_H
#define AQFS_INDENTATION_H

#include "args.h"
#include "buf.h"

/* The bytes of spaces and tabs at the beginning of LINE. */
size_t indentation_length(const char *line, size_t n);

/* The widths of a tab that are considered. */
#define INDENT_UNITS_MOST 8

/* The guesses that can still be true after the lines seen so far. */
struct reindent {
    bool any;                    /* a line was seen */
    bool adds, removes;          /* the same white space in front of each line */
    struct text_ref front;       /* that white space */
    unsigned to_tabs, to_spaces; /* bit U: a tab stands for U spaces, in every line */
    bool told;                   /* a line had something that a tab could stand for */
};

void reindent_start(struct reindent *r);

/* Records that the indentation WAS became IS. */
void reindent_see(struct reindent *r, struct text_ref was, struct text_ref is);

/* Whether one rule, and no other, explains all lines that were seen; or none was. */
bool reindent_is_known(const struct reindent *r);

/* Adds to OUT the indentation that WAS becomes by that rule.  False if the rule does not fit it. */
bool reindent_add(const struct reindent *r, struct text_ref was, struct buf *out);

#endif
