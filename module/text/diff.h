/* diff.h -- what differs between two texts, as a unified diff that git and patch read.
 *
 *     --- a/src/a.c
 *     +++ b/src/a.c
 *     @@ -10,7 +10,7 @@ int main(void)
 *
 * libgit2's differ finds what changed, in windows about the changes: what two
 * large files have in common costs a comparison of memory.  A small text, or
 * one with a single change, gets exactly the diff that git would show.
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
    struct text_ref path; /* without a/ or b/; data is NULL where there is no file: /dev/null */
};

struct diff_stats {
    size_t added, removed; /* lines, of the whole diff */
    bool cut;              /* not all of it fitted */
};

#define DIFF_CONTEXT 3

/* Appends the diff that makes AFTER of BEFORE; nothing where the texts are equal, except the two
 * lines of names where a file comes into being or ceases to be.  At most LIMIT bytes follow the
 * names: what does not fit is counted in the last line, which begins with `[`.
 *
 * Names are quoted as git quotes them where they hold what is not seen or not UTF-8, and have a tab
 * behind them where they hold a space, as git writes it for patch.
 *
 * Time is bounded: where two large texts have nothing in common, all of one is removed and all of
 * the other added.  To set libgit2 up takes milliseconds: HOLDER, or NULL, keeps it for later calls
 * from when it is first needed. */
int diff_unified(struct libraries *libraries, const struct diff_side *before,
                 const struct diff_side *after, size_t limit, struct buf *out,
                 struct diff_stats *stats, struct error *e);

#endif
