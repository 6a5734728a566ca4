/* patch_apply.h -- what one file of a patch makes of a text.
 *
 * Exact: the hunks of a unified diff apply at the lines they state; those of an envelope where
 * their old lines stand, which must be one place only.  Nothing is applied anywhere else.
 *
 * The text is a whole file's, byte order mark and endings and all: patches are written from exact
 * bytes by tools, and from text as it is shown (without the mark, with LF for CRLF) by people and
 * models.  Where no old line of the patch ends in CR, a text whose endings are all CRLF is read as
 * if they were LF, and added lines get CRLF; where no old line begins with the mark, the text
 * begins behind it.  Lines that are not changed keep all their bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_APPLY_H
#define AQFS_PATCH_APPLY_H

#include "buf.h"
#include "patch.h"

/* What a hunk replaced, without the context around it; lines are counted from 1. */
struct patch_change {
    size_t old_start, old_count; /* where there are none, the line behind the place */
    size_t new_start, new_count;
};

struct patched {
    struct buf text;
    size_t added, removed;        /* lines */
    struct patch_change *changes; /* one a hunk, in order */
    size_t change_count;
};

/* Applies FILE, of PATCH, to the text before it: nothing for a file that is added.  That of a
 * deleted file is empty after it, or that is an error (an envelope does not say what it deletes).
 * AQFS_PATCH_APPLY where the text is not as the patch says; AQFS_LIMIT where too much of it is
 * alike.  Call patched_free in any case. */
int patch_apply(const struct patch *patch, const struct patch_file *file, const char *text,
                size_t n, struct patched *out, struct error *e);
void patched_free(struct patched *out);

#endif
