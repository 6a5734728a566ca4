/* regex_plan.h -- reading a regular expression before PCRE2 does.
 *
 * PCRE2 matches; a plan says how it may be used.  The reader reads the pattern
 * item by item and rewrites it so that no item can match or look across a
 * newline.  Then whole blocks of text can be searched at once, with the same
 * results as for each line alone.  The reader also finds out
 *
 *   - whether bytes will do, which is several times faster than characters,
 *   - how much backtracking the pattern could cost, and
 *   - a literal that every match contains, which can be searched for first.
 *
 * If the reader is not certain about anything, it sets `understood` to false.
 * PCRE2 then gets the original pattern, one line at a time, and every step is
 * counted.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REGEX_PLAN_H
#define AQFS_REGEX_PLAN_H

#include "buf.h"

#include <stdint.h>

#define NEEDLE_BYTES 24
#define NEEDLES_MOST 8

struct needle {
    unsigned len;
    char text[NEEDLE_BYTES];
};

/* Every line that matches contains one of these; n = 0 when nothing is known. */
struct needles {
    unsigned n;
    unsigned worth; /* how selective they are; of several sets the best is kept */
    struct needle of[NEEDLES_MOST];
};

/* Replaces a byte that is not UTF-8 when text is taken as characters.  (Taken as bytes, such a byte
 * is not a character; so a pattern that names this one needs characters.) */
#define REGEX_SUBSTITUTE 0x1A

/* Counts of choices or repeats stop here. */
#define REGEX_MANY 1000000

struct regex_plan {
    struct buf bytes; /* the pattern for text taken as bytes */
    struct buf utf;   /* the same for text taken as characters */
    bool understood;
    bool by_line;     /* in spite of this, some item could reach across a newline */
    bool any_text;    /* the byte form is correct for all UTF-8, not for ASCII only */
    bool utf_only;    /* the byte form is not even correct for ASCII */
    bool ignore_case; /* in any part of the pattern */
    bool newline;     /* the pattern asks for a newline, which no line has */
    bool counted;     /* has a repeat such as {3} */
    uint32_t ways;    /* choices from one start position, not counting unbounded repeats */
    uint32_t repeats; /* unbounded repeats in sequence; REGEX_MANY when nested */
    struct needles needles;
};

/* Reads PATTERN, which must be valid UTF-8 and compile with PCRE2; with LITERAL it is plain text.
 * False when there is no memory.  Call regex_plan_free in either case. */
bool regex_plan_read(struct regex_plan *plan, const char *pattern, size_t n, bool ignore_case,
                     bool literal);

/* Discards what was read: PATTERN will run as it is, and the worst is assumed of it. */
void regex_plan_distrust(struct regex_plan *plan, const char *pattern, size_t n);

void regex_plan_free(struct regex_plan *plan);

#endif
