/* snapshot_prune.h -- forgetting snapshots, and giving back the room that they took. */
#ifndef AQFS_SNAPSHOT_PRUNE_H
#define AQFS_SNAPSHOT_PRUNE_H

#include "snapshot.h"

/* As struct keeper says. */
int git_prune(struct call *c, const struct retention *keep, size_t *forgotten);

#endif
