/* commit.h -- doing what a plan says, all of it or nothing.
 *
 * Every new file is written whole under a temporary name first.  Then each
 * change is one rename, which is undone if a later one fails.  An existing target
 * is exchanged with its replacement, so that its old content stays until the end
 * and can be compared with what was planned for.  If the process is killed, the
 * commit is undone from the journal when the workspace is next opened.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_COMMIT_H
#define AQFS_COMMIT_H

#include "plan.h"

/* Does what P says.  AQFS_STALE if a target is not what it was, AQFS_RACED if a directory above one
 * is not, AQFS_DURABILITY_UNKNOWN if everything is done but may not be on disk. */
int plan_commit(struct work *work, struct plan *p);

#endif
