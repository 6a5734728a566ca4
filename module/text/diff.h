/* diff.h -- unified diffs of two texts, which git and patch can read.
 *
 *     --- a/src/a.c
 *     +++ b/src/a.c
 *     @@ -10,7 +10,7 @@ int main(void)
 *
 * libgit2's differ finds the changes, but sees only windows around them:
 * comparing the rest of two large files costs no more than memcmp.  A small
 * text, or one with a single change, gets exactly the diff that git would show.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DIFF_H
#define AQFS_DIFF_H

#include "args.h"
#include "buf.h"

struct libraries;

struct diff_side {
    struct text_ref text;
    struct text_ref path; /* without a/ or b/; data is NULL for /dev/null */
};

struct diff_stats {
    size_t added, removed; /* lines of the whole diff, also when it is cut */
    bool cut;              /* the limit left no room for a part */
};

#define DIFF_CONTEXT 3

/* Appends the diff from BEFORE to AFTER.  Equal texts add nothing, except the two lines of names
 * when a file is created or deleted.  At most LIMIT bytes follow the names; when the diff needs
 * more, its last line begins with `[` and says how many changed lines are shown.
 *
 * A name is quoted as git quotes it when it holds invisible characters or bytes that are not UTF-8.
 * A name that holds a space is followed by a tab, as git writes it for patch.
 *
 * Time is bounded: when two large texts have nothing in common, the diff removes all of one and
 * adds all of the other.  Initialising libgit2 takes milliseconds; LIBRARIES, which may be NULL,
 * keeps it initialised for later calls. */
int diff_unified(struct libraries *libraries, const struct diff_side *before,
                 const struct diff_side *after, size_t limit, struct buf *out,
                 struct diff_stats *stats, struct error *e);

/* The same for one who knows BEFORE: hunks alone, without names, and with one line of context. */
int diff_brief(struct libraries *libraries, struct text_ref before, struct text_ref after,
               size_t limit, struct buf *out, struct diff_stats *stats, struct error *e);

#endif
