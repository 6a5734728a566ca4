/* commit_lock.h -- one commit at a time in a project.
 *
 * A new file may be taken back until the commit has decided that it stays.  No
 * other commit may build on it before that.  A mutex keeps threads apart, and a
 * locked file processes, as far as they share a state directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_COMMIT_LOCK_H
#define AQFS_COMMIT_LOCK_H

#include "budget.h"
#include "workspace.h"

/* Waits for the lock as long as BUDGET lasts. */
int commit_lock(struct aqfs_workspace *ws, struct budget *budget, struct error *e);
void commit_unlock(struct aqfs_workspace *ws);

/* Closes the lock's file, when the workspace ends. */
void commit_lock_close(struct aqfs_workspace *ws);

#endif
