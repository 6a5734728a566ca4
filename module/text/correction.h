/* correction.h -- the edit that was meant, where old_str nearly is at one place.
 *
 * It differs there in layout alone: the indentation of lines (shifted by the same
 * white space, or tabs against spaces), white space at their ends, their endings,
 * a line break at the end of the file that is not there, and quotes that look
 * alike.  Where no place differs in these alone, it is also how much white space
 * there is within a line, no-break spaces among it.
 *
 * Where there is no such place, either, old_str and new_str may both have the
 * numbers of lines or the marks of a diff in front, or escapes in place of characters
 * (correction_decoded.c);
 * or a few lines are others in the text: what a part of the edit has made of them
 * before, comments, or words that the edit does not change (correction_merged.c).
 *
 * A correction is offered to a caller, who decides; nothing here is applied by
 * itself.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CORRECTION_H
#define AQFS_CORRECTION_H

#include "buf.h"
#include "lines.h"
#include "replace.h"

struct correction {
    struct span place; /* of the text; what is replaced */
    struct buf text;   /* what comes there: new_str with the layout of the place */
};

/* For a TEXT that does not hold EDIT's old_str: finds the only place that differs from it as said
 * above.  Lines that old_str and new_str share keep the bytes that they have in TEXT.
 *
 * AQFS_NO_MATCH, without a message, when there is no such place, or several, or when it is not
 * certain how new_str is to be written there; AQFS_LIMIT without memory, or when EDIT's budget has
 * ended.  Call correction_free in any case.  Takes time linear in the text. */
int correction_find(struct text_ref text, const struct edit *edit, struct correction *out);
void correction_free(struct correction *c);

#endif
