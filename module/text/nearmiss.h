/* nearmiss.h -- why a text does not hold what was to be replaced.
 *
 * Said, never acted on: no edit is made of anything but the exact text.  Takes
 * time linear in the text, of which it looks at NEARMISS_BYTES at most.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_NEARMISS_H
#define AQFS_NEARMISS_H

#include "args.h"
#include "buf.h"

#define NEARMISS_BYTES ((size_t)64 << 20)

/* How what is nearest differs.  X(constant, words after "it differs in") */
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
    size_t first, last; /* the lines of the text that come nearest; 0 where nothing comes near */
    size_t line;        /* of them, the one with the first difference */
    unsigned kinds;     /* of near_kind */
    size_t places;      /* how many come as near, as far as they were counted... */
    size_t also[NEARMISS_ALSO]; /* ...and the first lines of some of the others */
    size_t applied;             /* the line where new_str is already; 0 where it is not */
    struct buf words; /* all that as sentences, with what was expected and what is there */
};

/* TEXT does not hold OLD_STR.  False when there is no memory.  Call nearmiss_free in either case.
 */
bool nearmiss_find(struct text_ref text, struct text_ref old_str, struct text_ref new_str,
                   struct nearmiss *out);
void nearmiss_free(struct nearmiss *n);

/* AQFS_NO_MATCH with what nearmiss_find says; the message begins with LABEL. */
int nearmiss_fail(struct text_ref text, struct text_ref old_str, struct text_ref new_str,
                  const char *label, struct error *e);

#endif
