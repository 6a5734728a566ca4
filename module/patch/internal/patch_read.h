/* patch_read.h -- reading the lines of a patch, for the readers of both formats.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_READ_H
#define AQFS_PATCH_READ_H

#include "patch.h"

#include <string.h>

/* Stands at a line of the patch, or at its end (`done`). */
struct patch_reader {
    struct patch *patch;
    struct error *error;
    const char *line; /* the line, without its ending */
    size_t n;
    size_t number;    /* of the line, from 1 */
    const char *next; /* the beginning of the next line */
    const char *end;
    bool done;
    bool crlf; /* every line of the patch ends in CRLF, so no CR is content */
};

static inline bool patch_is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static inline bool patch_begins(const char *text, size_t n, const char *words) {
    size_t length = strlen(words);
    return n >= length && memcmp(text, words, length) == 0;
}

/* Stands at the line at `next`. */
void patch_load_line(struct patch_reader *r);

/* Moves to the next line. */
void patch_skip(struct patch_reader *r);

/* Does the line, or the one after it, begin with WORDS? */
bool patch_at(const struct patch_reader *r, const char *words);
bool patch_before(const struct patch_reader *r, const char *words);

/* Is the line only white space? */
bool patch_at_blank(const struct patch_reader *r);

/* Fails with AQFS_PATCH_PARSE and "line N of the patch: ...". */
__attribute__((format(printf, 3, 4))) int patch_fail(struct patch_reader *r, size_t number,
                                                     const char *format, ...);

/* Makes room for one more item of SIZE bytes, zeroed, after COUNT ITEMS.  Returns the items, which
 * may have moved, or NULL without memory.  The arena keeps the old ones. */
void *patch_grow(struct patch_reader *r, void *items, size_t count, size_t size);

/* Adds a file to the patch, or a hunk to FILE; NULL without memory. */
struct patch_file *patch_add_file(struct patch_reader *r);
struct patch_hunk *patch_add_hunk(struct patch_reader *r, struct patch_file *file);

/* Reads the path TEXT of line NUMBER, in git's quoted form or as it is, into the arena. */
int patch_read_path(struct patch_reader *r, size_t number, const char *text, size_t n,
                    const char **path);

/* The length of the quoted form at the beginning of TEXT, including quotes; 0 when there is none.
 */
size_t patch_quoted_length(const char *text, size_t n);

/* Cuts white space off both ends. */
void patch_trim(const char **text, size_t *n);

/* Narrows the text to the content of a here-document or fence around it. */
int patch_unwrap(struct patch_reader *r);

/* The readers of both formats.  They read all text from the reader's line. */
int patch_read_unified(struct patch_reader *r);
int patch_read_envelope(struct patch_reader *r);

/* Joins the sections that update one file into the first of them. */
int patch_join_sections(struct patch_reader *r);

/* A line for a message: in quotes, shortened, with invisible characters escaped. */
#define PATCH_LABEL 400
const char *patch_label(const char *text, size_t n, char label[PATCH_LABEL]);

#endif
