/* read_lines.h -- the parts of read_file.
 *
 *     ops/read_file.c     the operation, and the data of its reply
 *     ops/read_files.c    the same for several files in one call
 *     read_ranges.c       which lines the arguments ask for
 *     read_words.c        the words for a model
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_READ_LINES_H
#define AQFS_READ_LINES_H

#include "call.h"
#include "scan.h"

/* As many ranges may be asked for in one call. */
#define READ_RANGES_MOST 20

/* Lines asked for, counted from 1. */
struct read_range {
    int64_t first, last;
    int64_t back;   /* as many lines before the end, in place of `first`; or 0 */
    bool by_offset; /* spelled with offset and limit */
    bool explicit;  /* the caller asked for some lines, not for the file */
    bool named_end; /* the caller named the last line, and so expects the file to go on behind it */
};

struct read_ranges {
    struct read_range all[READ_RANGES_MOST];
    size_t n;
    bool listed; /* by the argument `ranges` */

    /* With several files in a call: the room that is left for this one, in bytes of words and of
     * data; 0 where there is one file. */
    size_t words_most, data_most;
};

/* Which lines the arguments ask for.  AQFS_INVALID_ARGUMENT where they make no sense. */
int read_ranges_of(struct call *c, struct read_ranges *out);

/* Whether the file goes on behind the lines of S that were kept, unless the caller named the last
 * line. */
bool read_is_truncated(const struct read_range *r, const struct text_scan *s);

/* Reads PATH and writes its members and words.  *TRUNCATED: the file goes on behind what is shown.
 * With several files in a call nothing is written on failure, and a secret is refused whatever the
 * authority, because nobody can approve of one file among several. */
int read_named_file(struct call *c, struct text_ref path, const struct read_ranges *ranges,
                    bool *truncated);

/* Reads each file of the argument `paths`. */
int read_several_files(struct call *c, const struct read_ranges *ranges);

/* Adds the lines of S to the words, and what is to be said of them. */
void read_show(struct call *c, const struct read_ranges *ranges, const struct read_range *r,
               const struct text_scan *s);

/* Appends to OUT how LINES, the first of which is number FIRST, end: CRLF, LF, or which of them so
 * and which so; nothing where none has an ending. */
void read_say_endings(struct buf *out, struct text_ref lines, int64_t first);

#endif
