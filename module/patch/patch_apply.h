/* patch_apply.h -- applying one file of a patch to a text.
 *
 * Hunks apply exactly or not at all.  Those of a unified diff apply at the
 * lines that they state.  Those of an envelope apply where their old lines
 * stand.  That must be one place only, or else the first place after an anchor
 * or another hunk whose own place is certain.  A hunk of context alone is such an
 * anchor.  Each section of an envelope begins at the top of the file, as the
 * sections before it leave the file.
 *
 * The text is a whole file, with its byte order mark and endings.  Tools write
 * patches from exact bytes; people and models write them from text as it is
 * shown, without the mark and with LF for CRLF.  So if no old line of the patch
 * ends in CR, CRLF is read as if it were LF.  An added line gets the ending of
 * the line that it replaces, or else of the line before it.  If no old line
 * begins with the mark, the text begins after it.  Lines that are not changed
 * keep all their bytes.
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
    size_t added, removed; /* lines */
    struct patch_change
        *changes; /* one for each hunk that changes something, in order; of the last section */
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
