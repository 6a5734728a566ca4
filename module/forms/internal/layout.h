/* layout.h -- does a form look as its structure says?
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LAYOUT_H
#define AQFS_LAYOUT_H

#include "lex.h"

/* A token, and what can be seen of it. */
struct layout_item {
    enum token_kind kind;
    char bracket; /* of a parenthesis, or 0 */
    char last;    /* its last byte */
    bool begins_line;
    bool glued; /* nothing is between it and the one before it */
    size_t start, end;
    size_t column; /* a tab goes to the next multiple of 8 */
};

/* The tokens of a text, one by one.  Begin with layout_read. */
struct layout_reader {
    struct lexer lexer;
    size_t seen, column; /* up to where columns were counted, and which one is there */
    size_t last_end;
};
void layout_read(struct layout_reader *reader, enum dialect dialect, const char *text, size_t len);

/* False behind the last one, whose kind is TOKEN_END, or TOKEN_BROKEN. */
bool layout_next(struct layout_reader *reader, struct layout_item *out);

/* Judges items in order.  Zero it at the start, and free `nests` at the end. */
struct layouter {
    struct layout_nest *nests; /* the lists that are open */
    size_t depth, room;
    unsigned cost;   /* how much looks unusual: lines, and spaces beside parentheses */
    size_t parts_at; /* the first item that is not where its list would have it, if `parts` */
    bool parts;
    int net; /* how many more parentheses open than close */
    bool mismatched;
    enum token_kind before; /* the last item's */
    char last;              /* and its last byte */
    bool any;
};

/* False without memory. */
bool layout_step(struct layouter *l, const struct layout_item *item);

/* Makes TO, which may have judged something else, what FROM is.  False without memory. */
bool layout_fork(struct layouter *to, const struct layouter *from);

/* Is all closed that was opened? */
static inline bool layout_is_balanced(const struct layouter *l) {
    return l->depth == 0 && !l->mismatched;
}

/* Has the innermost list one part only? */
bool layout_is_single(const struct layouter *l);

/* Lists that are nested deeper than this are not looked at. */
#define LAYOUT_DEPTH 100000

struct layout {
    bool balanced;
    unsigned cost;
    size_t parts_at; /* the first token that is not where its list would have it, or the end */
    int net;
};

/* Looks at a text that begins with a top-level form.  False without memory. */
bool layout_look(enum dialect dialect, const char *text, size_t len, struct layout *out);

#endif
