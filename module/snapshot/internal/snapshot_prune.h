/* snapshot_prune.h -- forgetting snapshots, and giving back the room that they took.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_PRUNE_H
#define AQFS_SNAPSHOT_PRUNE_H

#include "snapshot.h"

/* As struct keeper says. */
int git_prune(struct work *work, const struct retention *keep, size_t *forgotten);

#endif
