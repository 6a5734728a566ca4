/* patch_find.h -- finding the lines of hunks in a text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_FIND_H
#define AQFS_PATCH_FIND_H

#include "intern.h"
#include "patch.h"

/* A text as lines, which are counted from 0. */
struct lined {
    const char *text;
    size_t *starts; /* offsets; after the last line, the end */
    size_t count;
    bool crlf;       /* a line's content ends before its CRLF */
    bool no_newline; /* the last line has no ending */
};

/* AQFS_TOO_LARGE for 4 GiB or more. */
int lined_open(struct lined *l, const char *text, size_t n, bool crlf, struct error *e);
void lined_close(struct lined *l);

/* The content of a line without its ending, and the line with all its bytes. */
const char *lined_content(const struct lined *l, size_t line, size_t *n);
const char *lined_bytes(const struct lined *l, size_t line, size_t *n);

/* Is the content of LINE that of OTHER, a line of a hunk? */
bool lined_equals(const struct lined *l, size_t line, const struct patch_line *other);

/* Lines grouped by their numbers: which lines have which number. */
struct places {
    uint32_t
        *first; /* for each number, the index in `lines` of its first line; one more at the end */
    uint32_t *lines; /* ascending within a number */
};

/* Groups the lines among COUNT whose number is not INTERN_NONE.  False without memory. */
bool places_group(struct places *p, const uint32_t *numbers, size_t count, uint32_t distinct);
void places_free(struct places *p);

/* The index in `lines` of the first line of NUMBER at or after LINE; if there is none, the index
 * after the last. */
size_t places_from(const struct places *p, uint32_t number, size_t line);

/* Finds the old lines of hunks. */
struct finder {
    size_t count;          /* lines of the text */
    struct intern strings; /* the old lines of all hunks */
    uint32_t *wanted;      /* their numbers in order, hunk after hunk */
    uint32_t *numbers;     /* of the text's lines; INTERN_NONE for a line that no hunk has */
    struct places places;
    uint64_t steps;
};

int finder_open(struct finder *f, const struct lined *text, const struct patch_hunk *hunks,
                size_t hunk_count, struct error *e);
void finder_close(struct finder *f);

/* Finds the first two places, at or after FROM, at which the COUNT old lines from WANTED stand in
 * sequence.  N is the number of places, 2 for more.  COUNT > 0.  AQFS_LIMIT when so many lines are
 * alike that the search took too long. */
int finder_find(struct finder *f, size_t wanted, size_t count, size_t from, size_t found[2],
                size_t *n, struct error *e);

/* Do these lines stand at AT? */
bool finder_is_at(const struct finder *f, size_t wanted, size_t count, size_t at);

/* Do the hunk's old lines stand at AT, apart from white space? */
bool lined_resembles(const struct lined *l, const struct patch_hunk *hunk, size_t at);

/* Finds the place AT at which most of the hunk's old lines stand where they should, apart from
 * white space, and returns their number, 0 for none.  Of equal places it takes the first at or
 * after FROM, else the first.  For messages only. */
size_t lined_nearest(const struct lined *l, const struct patch_hunk *hunk, size_t from, size_t *at);

#endif
