/* merging.h -- an edit of a text that has a few lines otherwise than old_str: where it is meant,
 * whether that is certain, and the words of a line that both change.
 *
 * Lines are compared as reduced.h leaves them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MERGING_H
#define AQFS_MERGING_H

#include "buf.h"
#include "edit_lines.h"
#include "indentation.h"
#include "reduced.h"

/* -- the place ---------------------------------------------------------------------------------
 */

/* The texts of an edit, reduced, and which lines it changes. */
struct merge_sides {
    const struct reduced *text, *old, *new;
    struct edit_lines lines; /* of old_str and new_str, reduced */
    struct line_list bare;   /* of the text, reduced */
};

/* False without memory.  Call merge_sides_free in either case; the reduced texts stay. */
bool merge_sides_find(const struct reduced *text, const struct reduced *old,
                      const struct reduced *new, struct merge_sides *out);
void merge_sides_free(struct merge_sides *m);

/* The kind of lines in which the text and old_str differ. */
enum merge_kind {
    MERGE_MADE,           /* the text has what the edit makes of the lines */
    MERGE_BLANKS,         /* blank lines */
    MERGE_COMMENTS,       /* comments, which begin alike or are on one side only */
    MERGE_OTHER_COMMENTS, /* comments that say something else */
    MERGE_WORDS,          /* words of one line of code */
    MERGE_CODE,           /* lines of code */
};

/* Lines of old_str in whose place the text has others; one of both may be none. */
struct merge_block {
    size_t old_at, old_n, text_at, text_n;
    enum merge_kind kind;
};

#define MERGE_BLOCKS_MOST 4
#define MERGE_BLOCK_LINES 3 /* on each side, of a block that was not made */

struct merge_place {
    size_t from, n; /* lines of the text */
    struct merge_block blocks[MERGE_BLOCKS_MOST];
    size_t count;
    size_t cost; /* how much differs */
};

/* Finds the place that differs least from old_str.  False if there is none, if another one differs
 * hardly more, and when it would take too long to tell. */
bool merge_place_find(const struct merge_sides *m, struct merge_place *out);

/* Is line OLD of old_str line AT of the text?  The first and the last one may be a part of it. */
bool merge_same_line(const struct merge_sides *m, size_t old, size_t at);

/* Are the lines of B as many on both sides, and each has a PART-th of its bytes in common with the
 * other, at their ends? */
bool merge_is_alike(const struct merge_sides *m, const struct merge_block *b, size_t part);

/* As many letters say something. */
#define MERGE_TELLING_LETTERS 4

/* Does the LINE, reduced, say something that is no comment? */
bool merge_is_telling(struct text_ref line);

/* -- the edit there ----------------------------------------------------------------------------
 */

struct merging {
    const struct merge_sides *m;
    const struct merge_place *place;
    size_t *pairs;         /* the line of the text that each line of old_str is */
    bool bare_start;       /* old_str begins behind an indentation of the text */
    struct reindent shift; /* how the indentation of all lines differs */
    size_t old, at, next;  /* all lines of old_str, the text and new_str before these are written */
    struct buf *out;
};

#define NO_LINE SIZE_MAX

/* Line I of old_str, reduced. */
static inline struct text_ref merge_old_line(const struct merging *g, size_t i) {
    return g->m->lines.old.all[i];
}

/* Appends to OUT the line WAS with what changed on the way to IS and to WANTED.  False where both
 * change the same words or neighbouring ones, each in another way, and without memory. */
bool word_merge(struct text_ref was, struct text_ref is, struct text_ref wanted, struct buf *out);

/* Is it certain that the place is meant, and what is to be done there? */
bool merge_is_certain(const struct merging *g);

#endif
