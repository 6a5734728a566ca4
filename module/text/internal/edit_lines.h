/* edit_lines.h -- which lines an edit changes, and which it only repeats.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_EDIT_LINES_H
#define AQFS_EDIT_LINES_H

#include "args.h"

/* The lines of a text without their newlines. */
struct line_list {
    struct text_ref *all;
    size_t n;
};

/* False without memory. */
bool line_list_of(struct text_ref text, struct line_list *out);
void line_list_free(struct line_list *l);

/* Lines of old_str that become lines of new_str; one of both may be none. */
struct edit_hunk {
    size_t old_at, old_n, new_at, new_n;
};

/* The lines of an edit: all that no hunk has are in both. */
struct edit_lines {
    struct line_list old, new;
    struct edit_hunk *hunks;
    size_t n;
};

/* False without memory.  Call edit_lines_free in either case. */
bool edit_lines_find(struct text_ref old_str, struct text_ref new_str, struct edit_lines *out);
void edit_lines_free(struct edit_lines *e);

#endif
