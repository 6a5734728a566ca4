/* replace_batch.h -- which of many edits can be made at once.
 *
 * An edit replaces the only occurrence of its old_str in what the edits before it
 * leave.  Made one after the other, each reads and moves the whole text.  Most
 * edits of a call have nothing to do with each other; those are found and made in
 * one pass.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REPLACE_BATCH_H
#define AQFS_REPLACE_BATCH_H

#include "replace.h"

/* Fewer edits are not worth the pass. */
#define BATCH_LEAST 32

struct edit_batch {
    struct spans places;   /* of the text, in its order */
    struct text_ref *news; /* what comes to each */
};
void batch_free(struct edit_batch *b);

/* Finds the places of the first of the N EDITS, as many of them as are certain to do the same when
 * they are made at once in TEXT as one after the other: each old_str occurs once in what the edits
 * before it leave, and no two places overlap.  OUT, which must be zeroed, has no place when none is
 * certain, without memory, or when the budget of the first edit ends.  Takes time linear in the
 * text and the edits. */
void batch_find(struct text_ref text, const struct edit *edits, size_t n, struct edit_batch *out);

#endif
