/* heading.h -- the line that tells what a place of a text is in: a function, a section, a form.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_HEADING_H
#define AQFS_HEADING_H

#include "args.h"
#include "lines.h"

#include <stdbool.h>

/* More of a heading is not told. */
#define HEADING_BYTES 80

/* Zero it, but for the text; set `lisp` by the name of its file (heading_is_lisp). */
struct headings {
    struct text_ref text;
    bool lisp;        /* headings are the first lines of forms */
    struct span last; /* what was found */
    size_t looked;    /* the text above this offset was searched */
};

bool heading_is_lisp(struct text_ref path);

/* The heading for the COUNT lines from offset AT on, of which SHOWN more above are shown; of length
 * 0 if there is none.  Offsets must not decrease from call to call: each part of the text is
 * searched once. */
struct span heading_find(struct headings *h, size_t at, size_t count, size_t shown);

#endif
