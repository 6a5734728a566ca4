/* repair.h -- where a Lisp text lost its balance, by its indentation, and how it gets it back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REPAIR_H
#define AQFS_REPAIR_H

#include "forms.h"
#include "lines.h"

/* A correction replaces `old` by `new`: one parenthesis is put in, taken out, or exchanged. */
struct repair {
    struct form
        form;        /* the top-level form that is not balanced; its end is where the next begins */
    size_t parts_at; /* the line that begins here is where indentation and structure part */
    bool known;      /* one correction fits the indentation better than all others */
    struct span old;
    char new[2];
};

/* Looks at TEXT, which has a fault.  CHANGED is what is new in it, where the fault is likely to be;
 * all of the text if nothing is known.  False without memory.  The correction is inside of the
 * form, and makes the whole text balanced. */
bool repair_find(enum dialect dialect, const char *text, size_t len, struct span changed,
                 struct repair *out);

#endif
