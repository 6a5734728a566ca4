/* commit.h -- doing what a plan says, all of it or nothing.
 *
 * Every new file is finished under a name of its own first.  Then each change
 * is one rename, which is undone when a later one fails: an existing target is
 * exchanged with its replacement, so that what it held stays until the end and
 * can be compared with what was planned for.  What the journal says of a
 * commit that was killed is undone when the workspace is next opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_COMMIT_H
#define AQFS_COMMIT_H

#include "plan.h"

/* AQFS_STALE when a target is not what it was, AQFS_RACED when what is above it is not. */
int plan_commit(struct work *work, struct plan *p);

#endif
