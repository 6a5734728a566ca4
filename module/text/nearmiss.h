/* nearmiss.h -- explaining why a text does not hold what an edit was to replace.
 *
 * The result is only reported.  No edit is ever made to anything but the exact
 * text.  Takes time linear in the text, of which it reads at most
 * NEARMISS_BYTES.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_NEARMISS_H
#define AQFS_NEARMISS_H

#include "args.h"
#include "buf.h"

#define NEARMISS_BYTES ((size_t)64 << 20)

/* How the nearest place differs.  X(constant, words after "it differs in") */
#define NEAR_KINDS(X)                                                                              \
    X(NUMBERS, "the line numbers that old_str has in front of its lines")                          \
    X(ESCAPES, "escapes such as \\n or &lt; that old_str has for the characters")                  \
    X(ENDINGS, "line endings (\\r\\n against \\n)")                                                \
    X(TABS, "tabs against spaces")                                                                 \
    X(INDENTATION, "indentation")                                                                  \
    X(TRAILING, "white space at the end of a line")                                                \
    X(SPACES, "white space within a line")                                                         \
    X(BREAKS, "line breaks")                                                                       \
    X(UNICODE_SPACES, "spaces that are not U+0020")                                                \
    X(INVISIBLE, "invisible characters")                                                           \
    X(LOOKALIKES, "characters that look alike (quotes, dashes, accents)")                          \
    X(CASE, "upper and lower case")                                                                \
    X(WORDS, "words of a line")                                                                    \
    X(LINE, "a line that is a different one in the file")                                          \
    X(LACKING, "a line of the file that old_str lacks")                                            \
    X(EXTRA, "a line of old_str that the file lacks")

enum near_index {
#define X(constant, words) NEAR_INDEX_##constant,
    NEAR_KINDS(X)
#undef X
};

#define NEARMISS_ALSO 3

enum near_kind {
#define X(constant, words) NEAR_##constant = 1 << NEAR_INDEX_##constant,
    NEAR_KINDS(X)
#undef X
};

struct nearmiss {
    size_t first, last; /* the nearest lines of the text; 0 when nothing is near */
    size_t line;        /* the one of these lines that differs first */
    unsigned kinds;     /* of near_kind */
    size_t places;      /* how many places are equally near, as far as they were counted... */
    size_t also[NEARMISS_ALSO]; /* ...and the first lines of some of the others */
    size_t applied;             /* the line on which new_str stands already; 0 when it does not */
    struct buf words; /* all of this as sentences, with both texts at the first difference */
};

/* For a TEXT that does not hold OLD_STR.  False when there is no memory.  Call nearmiss_free in
 * either case. */
bool nearmiss_find(struct text_ref text, struct text_ref old_str, struct text_ref new_str,
                   struct nearmiss *out);
void nearmiss_free(struct nearmiss *n);

/* The most bytes of the nearest lines that are handed over. */
#define NEAREST_BYTES 3000

/* Fails with AQFS_NO_MATCH and the words of nearmiss_find; the message begins with LABEL.  Adds the
 * nearest lines, whole, to NEAREST, which may be NULL, unless they are too long. */
int nearmiss_fail(struct text_ref text, struct text_ref old_str, struct text_ref new_str,
                  const char *label, struct buf *nearest, struct error *e);

#endif
