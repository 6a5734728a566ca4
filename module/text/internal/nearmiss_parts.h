/* nearmiss_parts.h -- the three steps by which nearmiss.c finds the nearest place.
 *
 * A search for the folded needle finds places that are equal when folded
 * (nearmiss_compare.c).  If there are none, nearmiss_seek.c finds the parts of
 * the text that share most of the needle's rare byte sequences, and
 * nearmiss_align.c aligns the lines of each part with the needle's.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_NEARMISS_PARTS_H
#define AQFS_NEARMISS_PARTS_H

#include "fold.h"
#include "lines.h"
#include "nearmiss.h"

/* -- nearmiss_compare.c */

/* A place in a text that equals the needle when both are folded. */
struct near_comparison {
    struct span place;
    unsigned kinds;
    unsigned cost;          /* lower is nearer */
    size_t text_at, old_at; /* the first difference */
};

/* Compares the needle OLD with the place in TEXT whose visible characters ("ink") are at INK. */
struct near_comparison nearmiss_compare(struct text_ref text, struct span ink, struct text_ref old);

/* Equally near places: their number, and where some of them after the first begin. */
struct near_places {
    size_t count;
    size_t also[NEARMISS_ALSO];
};

/* Finds the nearest place in TEXT that equals OLD when folded.  False when there is none. */
bool nearmiss_compare_all(const struct folded *text, const struct folded *old,
                          struct near_comparison *best, struct near_places *places);

/* -- nearmiss_seek.c */

#define SEEK_GUESSES 16

/* Guesses offsets of the folded TEXT at which OLD may begin, the best one first.  Returns the
 * number of guesses, or -1 when there is no memory. */
int nearmiss_seek(const struct folded *text, const struct folded *old,
                  size_t guesses[SEEK_GUESSES]);

/* -- nearmiss_align.c */

/* Lines of the text, and how they differ from the needle's. */
struct alignment {
    unsigned similarity; /* 0 to 100 */
    unsigned kinds;
    /* The first and the last line that are paired with one of the needle's; NULL when none is. */
    const char *first, *last;
    /* The first difference.  AT is its place in the text; NULL when the aligned lines are equal.
     * Then a line of the text, a line of the needle, or both, with the offsets at which to look;
     * data is NULL where one side has no such line. */
    const char *at;
    struct text_ref text_line, old_line;
    size_t text_at, old_at;
};

/* Aligns OLD to the lines of TEXT around offset GUESS.  False when there is no memory. */
bool nearmiss_align(struct text_ref text, size_t guess, struct text_ref old, struct alignment *out);

#endif
