/* regex_plan.h -- reading a regular expression before PCRE2 does.
 *
 * PCRE2 matches; a plan says how it may be asked to.  The pattern is read once,
 * item by item, and written out again so that no item of it can match or look
 * across a newline: then whole blocks of text can be searched at once, and the
 * answer is the same as for each line alone.  On the way it is learned
 *
 *   - whether bytes will do, which is several times faster than characters,
 *   - how much backtracking the pattern could cost, and
 *   - a literal that every match contains, which can be searched for first.
 *
 * Whatever the reader does not know for certain makes `understood` false: such
 * a pattern is given to PCRE2 as it came, one line at a time, with every step
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

/* One of these is in every line that matches; n = 0 when nothing is known. */
struct needles {
    unsigned n;
    unsigned worth; /* how much they tell: of several sets the best is kept */
    struct needle of[NEEDLES_MOST];
};

/* What a byte that is no UTF-8 is replaced by where text is taken as characters.  (As bytes it is
 * no character at all, so that a pattern that names this one needs characters.) */
#define REGEX_SUBSTITUTE 0x1A

/* More choices or repeats than are worth telling apart. */
#define REGEX_MANY 1000000

struct regex_plan {
    struct buf bytes; /* the pattern for text taken as bytes */
    struct buf utf;   /* the same for text taken as characters */
    bool understood;
    bool by_line;     /* some item could reach across a newline even so */
    bool any_text;    /* the byte form is right for all UTF-8; otherwise for ASCII only */
    bool utf_only;    /* the byte form is not even right for ASCII */
    bool ignore_case; /* in any part */
    bool newline;     /* it asks for a newline, which no line has */
    uint32_t ways;    /* choices from one start position, unbounded repeats aside */
    uint32_t repeats; /* unbounded repeats one behind the other; REGEX_MANY when nested */
    struct needles needles;
};

/* Reads PATTERN, which is valid UTF-8 and which PCRE2 compiles; a LITERAL one is plain text.  False
 * when there is no memory.  Call regex_plan_free in either case. */
bool regex_plan_read(struct regex_plan *plan, const char *pattern, size_t n, bool ignore_case,
                     bool literal);

/* Forgets what was read: PATTERN is to be run as it is, and the worst is expected of it. */
void regex_plan_distrust(struct regex_plan *plan, const char *pattern, size_t n);

void regex_plan_free(struct regex_plan *plan);

#endif
