/* plan_store.h -- plans that were shown, kept until they are committed.
 *
 * SPDX-License-Identifier: MIT
 *
 * A front end keeps the request and the digest of what it shows to a person, for
 * hours if need be; that is enough to plan anew.  The store saves doing so: the
 * commit of a plan that is still kept looks again only at what may have moved.
 * It is a cache, bounded by number and by bytes; the plan used least recently
 * goes first.  Safe from any thread.
 */
#ifndef AQFS_PLAN_STORE_H
#define AQFS_PLAN_STORE_H

#include "call.h"
#include "plan.h"

struct kept_plan {
    struct kept_plan *next; /* one that was kept before */
    const struct op *op;
    json_t *request; /* which the values and the plan point into */
    struct value *values;
    struct plan plan;
    size_t size;
};

/* Keeps the finished plan P of C, with its values: both are the store's now.  Without memory, or
 * where it is too large, it is only freed. */
void plan_store_keep(struct call *c, struct plan *p);

/* Takes the plan that C, a commit, has the digest of out of the store, if it was made of the same
 * request; else NULL. */
struct kept_plan *plan_store_take(struct call *c);

/* Puts back what was taken. */
void plan_store_put(struct aqfs_workspace *ws, struct kept_plan *kept);

void kept_plan_free(struct kept_plan *kept);

#endif
