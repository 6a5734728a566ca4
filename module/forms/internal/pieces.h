/* pieces.h -- a text as what begins in its first column.
 *
 * A top-level form usually begins there, and what is in it does not.  So the pieces are the
 * forms of a text as its layout tells them, also where a parenthesis is missing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PIECES_H
#define AQFS_PIECES_H

#include "dialect.h"
#include "lines.h"

#include <stdbool.h>

struct piece {
    struct span at; /* up to the next piece, or to the parentheses counted by `closes` */
    int net;        /* how many more parentheses open than close */
    int closes; /* those behind it, from the first column on, which close what earlier ones open */
    size_t behind;   /* where the next piece begins */
    size_t hangs_at; /* where a parenthesis in the first column closes what it opens, or SIZE_MAX */
    unsigned cost;   /* how much looks unusual */
    bool balanced;
};

struct pieces {
    struct piece *all;
    size_t n, room;
};

/* There are none in a text that has too many.  False without memory.  Release OUT in any case. */
bool pieces_read(enum dialect dialect, const char *text, size_t len, struct pieces *out);
void pieces_free(struct pieces *pieces);

/* The piece that is to blame for the whole TEXT not being balanced; one that CHANGED, what is new
 * in the text, touches is rather to blame than others.  *PLAIN says whether it is the only one that
 * may be.  There is at least one piece. */
const struct piece *pieces_to_blame(const struct pieces *pieces, const char *text,
                                    struct span changed, bool *plain);

/* How many top-level forms there are if the piece BLAMED is made one form; 0 if the other pieces
 * are not balanced then. */
size_t pieces_count_forms(const struct pieces *pieces, const struct piece *blamed);

#endif
