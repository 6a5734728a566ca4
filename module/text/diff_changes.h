/* diff_changes.h -- which lines differ between two texts.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DIFF_CHANGES_H
#define AQFS_DIFF_CHANGES_H

#include "args.h"

/* Some lines of a text; may be none. */
struct line_span {
    size_t at, len;     /* bytes */
    size_t line, count; /* lines; the first of the text is 0 */
};

/* OLD became NEW.  Between two changes both texts have the same lines. */
struct line_change {
    struct line_span old, new;
};

struct changes {
    struct line_change *list;
    size_t n, room;
};

struct libraries;

/* Finds the changes from OLD to NEW, in order; LIBRARIES is as for diff_unified.  Call changes_free
 * even when it fails. */
int changes_find(struct libraries *libraries, struct text_ref old, struct text_ref new,
                 struct changes *out, struct error *e);
void changes_free(struct changes *c);

#endif
