/* snapshot_sweep.h -- giving back the room of what no snapshot holds any more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_SWEEP_H
#define AQFS_SNAPSHOT_SWEEP_H

#include "oid_set.h"
#include "snapshot_store.h"

/* Counts the packs and their bytes. */
void sweep_measure(const struct store *s, size_t *packs, int64_t *bytes);

/* Removes the packs in which nothing is LIVE.  Writes one new pack for those of which less than
 * half is, and, if there are many packs, for the small ones.  If anything fails, all that is live
 * stays.
 */
int sweep_packs(struct work *work, const struct store *s, const struct oid_set *live);

/* More packs than this are too many, because each is searched for every object. */
#define SWEEP_PACKS 50

#endif
