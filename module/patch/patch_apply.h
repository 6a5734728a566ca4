/* patch_apply.h -- applying one file of a patch to a text.
 *
 * Hunks apply exactly or not at all.  Those of a unified diff apply at the
 * lines that they state.  Those of an envelope apply where their old lines
 * stand, which must be one place only.
 *
 * The text is a whole file, with its byte order mark and endings.  Tools write
 * patches from exact bytes; people and models write them from text as it is
 * shown, without the mark and with LF for CRLF.  So if no old line of the patch
 * ends in CR, a text whose endings are all CRLF is read as if they were LF, and
 * added lines get CRLF.  If no old line begins with the mark, the text begins
 * after it.  Lines that are not changed keep all their bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_APPLY_H
#define AQFS_PATCH_APPLY_H

#include "buf.h"
#include "patch.h"

/* The lines that a hunk replaced, without the context around them, counted from 1. */
struct patch_change {
    size_t old_start, old_count; /* if no line was replaced, the line after the place */
    size_t new_start, new_count;
};

struct patched {
    struct buf text;
    size_t added, removed;        /* lines */
    struct patch_change *changes; /* one for each hunk, in order */
    size_t change_count;
};

/* Applies FILE of PATCH to the text before it, which is empty for an added file.  The text of a
 * deleted file must be empty afterwards, except that an envelope does not say what it deletes.
 * AQFS_PATCH_APPLY when the text is not as the patch says; AQFS_LIMIT when too many lines are
 * alike.  Call patched_free in any case. */
int patch_apply(const struct patch *patch, const struct patch_file *file, const char *text,
                size_t n, struct patched *out, struct error *e);
void patched_free(struct patched *out);

#endif
