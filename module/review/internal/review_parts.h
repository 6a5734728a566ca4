/* review_parts.h -- what the parts of a review share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REVIEW_PARTS_H
#define AQFS_REVIEW_PARTS_H

#include "review.h"

/* -- review_side.c */

void review_side_free(struct review_side *side);
int review_side_copy(struct review_side *to, const struct review_side *from, struct error *e);

/* The kept state of one side of a step.  Missing bytes are no error. */
int review_side_of(struct work *work, const struct kept_call *call, const struct kept_step *step,
                   const struct kept_side *kept, struct review_side *out);

/* Are both of one type, and are their bytes known to be the same? */
bool review_is_same(const struct review_side *a, const struct review_side *b);

/* -- review_items.c */

/* The newest item that is at a place now, or NULL. */
struct review_item *review_item_at(const struct review *r, const struct root *root,
                                   const char *path);

/* Adds an item; NULL without memory. */
struct review_item *review_add_item(struct review *r, const struct root *root, const char *path);
void review_item_free(struct review_item *item);

/* Must be called when places or numbers of items have changed.  False without memory. */
bool review_rechain(struct review *r);

/* Has another item taken the place of item AT? */
bool review_is_covered(const struct review *r, size_t at);

/* -- review_calls.c: goes through the records IDS, in order */

int review_gather(struct review *r, const struct kept_ids *ids);

/* -- review.c: goes on with one call, which is among those that were ASKED for or not */

int review_call(struct review *r, const struct kept_call *call, bool asked);

/* Fails if the call may not go on. */
int review_check_budget(struct call *c);

#endif
