/* diff_changes.h -- which lines differ between two texts. */
#ifndef AQFS_DIFF_CHANGES_H
#define AQFS_DIFF_CHANGES_H

#include "args.h"

/* Some lines of a text, maybe none. */
struct line_span {
    size_t at, len;     /* bytes */
    size_t line, count; /* lines; the first of the text is 0 */
};

/* OLD became NEW; between two changes there are as many lines in one text as in the other. */
struct change {
    struct line_span old, new;
};

struct changes {
    struct change *list;
    size_t n, room;
};

struct aqfs_workspace;

/* Finds them in order; HOLDER is as for diff_unified.  Call changes_free in either case. */
int changes_find(struct aqfs_workspace *holder, struct text_ref old, struct text_ref new,
                 struct changes *out, struct error *e);
void changes_free(struct changes *c);

#endif
