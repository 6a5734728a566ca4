/* nearmiss_parts.h -- how nearmiss.c finds what comes near, in three steps.
 *
 * What is equal when folded is found at once, by a search for the folded needle
 * (nearmiss_compare.c).  Else the parts of the text that share most of the
 * needle's rare byte sequences are found (nearmiss_seek.c), and the lines of
 * each are put side by side with the needle's (nearmiss_align.c).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_NEARMISS_PARTS_H
#define AQFS_NEARMISS_PARTS_H

#include "fold.h"
#include "linewise.h"
#include "nearmiss.h"

/* -- nearmiss_compare.c */

/* A place in a text that is equal to the needle when both are folded. */
struct near_comparison {
    struct span place;
    unsigned kinds;
    unsigned cost;          /* the less, the nearer */
    size_t text_at, old_at; /* where they differ first */
};

/* Compares the needle OLD with the TEXT whose ink is at INK. */
struct near_comparison nearmiss_compare(struct text_ref text, struct span ink, struct text_ref old);

/* Places that are equally near: how many, and where some others than the first begin. */
struct near_places {
    size_t count;
    size_t also[NEARMISS_ALSO];
};

/* The nearest of the places in TEXT equal to OLD when folded.  False when there is none. */
bool nearmiss_compare_all(const struct folded *text, const struct folded *old,
                          struct near_comparison *best, struct near_places *places);

/* -- nearmiss_seek.c */

#define SEEK_GUESSES 16

/* Guesses where in TEXT, as folded, OLD may begin, the best one first; how many guesses.  -1 when
 * there is no memory. */
int nearmiss_seek(const struct folded *text, const struct folded *old,
                  size_t guesses[SEEK_GUESSES]);

/* -- nearmiss_align.c */

/* Some lines of the text, and how they differ from the needle's. */
struct alignment {
    unsigned similarity; /* of 100 */
    unsigned kinds;
    /* The first and the last line that stand by one of the needle's; NULL where there is none. */
    const char *first, *last;
    /* The first difference: AT is where it is in the text, NULL where there is none in the lines
     * that were aligned.  A line of the text or of the needle or both, and the offsets where to
     * look in them; data is NULL where the other has no such line. */
    const char *at;
    struct text_ref text_line, old_line;
    size_t text_at, old_at;
};

/* Aligns OLD to the lines of TEXT around offset GUESS.  False when there is no memory. */
bool nearmiss_align(struct text_ref text, size_t guess, struct text_ref old, struct alignment *out);

#endif
