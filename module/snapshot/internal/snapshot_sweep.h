/* snapshot_sweep.h -- giving back the room of what no snapshot holds any more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_SWEEP_H
#define AQFS_SNAPSHOT_SWEEP_H

#include "oid_set.h"
#include "snapshot_store.h"

/* How many packs there are, and how many bytes they have. */
void sweep_measure(const struct store *s, size_t *packs, int64_t *bytes);

/* Removes packs in which nothing is LIVE, and writes one new pack for those of which less than half
 * is, and for small ones where there are many.  Whatever fails, what is live stays. */
int sweep_packs(struct work *work, const struct store *s, const struct oid_set *live);

/* So many packs are too many: each is asked for every object. */
#define SWEEP_PACKS 50

#endif
