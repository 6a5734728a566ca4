/* unseen.h -- characters of a text that are not seen: which they are, and saying so.
 *
 * A model reads what a person who looks at the file does not see: tag characters,
 * controls of the writing direction, characters without width, escape sequences, and
 * spaces that are not what they look like.
 * Joiners and selectors that writing needs are not counted: in emoji, in Arabic and
 * Indic scripts, after ideographs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_UNSEEN_H
#define AQFS_UNSEEN_H

#include "buf.h"

/* X(constant, words) */
#define UNSEEN_KINDS(X)                                                                            \
    X(TAGS, "tag characters")                                                                      \
    X(BIDI, "bidirectional controls")                                                              \
    X(ZERO_WIDTH, "zero-width")                                                                    \
    X(SELECTORS, "variation selectors")                                                            \
    X(ESCAPES, "escape sequences")                                                                 \
    X(SPACES, "no-break spaces")

#define X(constant, words) UNSEEN_##constant,
enum unseen_kind { UNSEEN_KINDS(X) UNSEEN_KIND_COUNT };
#undef X

/* How many there are in a line. */
struct unseen {
    int64_t all, of_kind[UNSEEN_KIND_COUNT];
};

/* Counts them in LINE, which is valid UTF-8 or counts as far as it is.  IS_FIRST: it begins the
 * file, and so may begin with a byte order mark. */
struct unseen unseen_count(const char *line, size_t n, bool is_first);

/* False if no byte of TEXT can belong to one, as in ASCII without escapes.  Reads 32 bytes at a
 * time. */
bool unseen_may_be_in(const char *text, size_t n);

/* The notes to make about the lines of one reply.  Zero it at the start. */
struct unseen_note {
    struct buf words;
    int listed;
    int64_t further_lines, further; /* beyond those listed */
};

/* Room for the words. */
#define UNSEEN_NOTE_BYTES 1024

/* Notes the line NUMBER.  WHERE says of what it is a line, or is NULL. */
void unseen_note_line(struct unseen_note *note, const char *where, int64_t number, const char *line,
                      size_t n);

/* Notes the lines of TEXT, which are counted from FIRST on. */
void unseen_note_text(struct unseen_note *note, const char *where, int64_t first, const char *text,
                      size_t n);

/* Appends what was noted as one line in brackets, or nothing; and frees the note. */
void unseen_note_end(struct unseen_note *note, struct buf *out);

#endif
