/* commit_lock.h -- one commit at a time in a project, whoever makes it.
 *
 * Between the exchange of a file and the decision that it stays, what is in
 * its place may be taken back: nobody else of us may build on it.  Threads are
 * kept apart by a mutex, processes by a file in the state directory, as far as
 * they share one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_COMMIT_LOCK_H
#define AQFS_COMMIT_LOCK_H

#include "budget.h"
#include "workspace.h"

/* Waits as long as BUDGET lasts. */
int commit_lock(struct aqfs_workspace *ws, struct budget *budget, struct error *e);
void commit_unlock(struct aqfs_workspace *ws);

/* When the workspace ends. */
void commit_lock_close(struct aqfs_workspace *ws);

#endif
