/* layout.h -- does a form look as its structure says?
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LAYOUT_H
#define AQFS_LAYOUT_H

#include "dialect.h"

#include <stdbool.h>
#include <stddef.h>

struct layout {
    bool balanced;
    unsigned cost;   /* how much looks unusual: lines, and spaces beside parentheses */
    size_t parts_at; /* the first line that is not where its list would have it, or the end */
    int net;         /* how many more parentheses open than close */
};

/* Looks at a text that begins with a top-level form.  False without memory. */
bool layout_look(enum dialect dialect, const char *text, size_t len, struct layout *out);

#endif
