/* patch_find.h -- where in a text the lines of hunks stand.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_FIND_H
#define AQFS_PATCH_FIND_H

#include "intern.h"
#include "patch.h"

/* A text as lines, counted from 0. */
struct lined {
    const char *text;
    size_t *starts; /* and behind the last line, the end */
    size_t count;
    bool crlf;       /* a line's content ends before its CRLF */
    bool no_newline; /* the last line has no ending */
};

/* AQFS_TOO_LARGE: 4 GiB and more. */
int lined_open(struct lined *l, const char *text, size_t n, bool crlf, struct error *e);
void lined_close(struct lined *l);

/* The content of a line, and all its bytes. */
const char *lined_content(const struct lined *l, size_t line, size_t *n);
const char *lined_bytes(const struct lined *l, size_t line, size_t *n);

/* Is the line's content that of a hunk's line? */
bool lined_equals(const struct lined *l, size_t line, const struct patch_line *other);

/* Numbers of lines, grouped: which lines have which number. */
struct places {
    uint32_t *first; /* by number: where its lines begin in `lines`; one more at the end */
    uint32_t *lines; /* ascending within a number */
};

/* Groups the COUNT lines that have a number other than INTERN_NONE.  False without memory. */
bool places_group(struct places *p, const uint32_t *numbers, size_t count, uint32_t distinct);
void places_free(struct places *p);

/* The index in `lines` of the first line of NUMBER at LINE or behind it, or that of the end. */
size_t places_from(const struct places *p, uint32_t number, size_t line);

/* The places of the old lines of hunks. */
struct finder {
    size_t count;          /* lines of the text */
    struct intern strings; /* the old lines of all hunks */
    uint32_t *wanted;      /* their numbers, in order, hunk after hunk */
    uint32_t *numbers;     /* of the text's lines; INTERN_NONE where no hunk has such a line */
    struct places places;
    uint64_t steps;
};

int finder_open(struct finder *f, const struct lined *text, const struct patch_hunk *hunks,
                size_t hunk_count, struct error *e);
void finder_close(struct finder *f);

/* Finds the first two places, at FROM or behind it, where the COUNT old lines that begin with the
 * one at WANTED stand one after another; N tells how many there are, 2 for more.  COUNT > 0.
 * AQFS_LIMIT: so much of the text is alike that searching it took too long. */
int finder_find(struct finder *f, size_t wanted, size_t count, size_t from, size_t found[2],
                size_t *n, struct error *e);

/* Do they stand at AT? */
bool finder_is_at(const struct finder *f, size_t wanted, size_t count, size_t at);

/* The place where the most old lines of a hunk stand where they should, white space apart, and how
 * many; 0 for none.  Of equals the first, at FROM or behind it where there is one.  For messages
 * only. */
size_t lined_nearest(const struct lined *l, const struct patch_hunk *hunk, size_t from, size_t *at);

#endif
