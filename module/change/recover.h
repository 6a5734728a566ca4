/* recover.h -- putting a tree back after a commit that was killed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_RECOVER_H
#define AQFS_RECOVER_H

#include "workspace.h"

/* Undoes, or brings to their end, the commits that dead processes left for this workspace's roots.
 * Call when opening the workspace.  It waits up to two seconds for a commit that is running. */
void journal_recover(struct aqfs_workspace *ws);

/* The same for a commit of this process that left its journal (journal_leave), if there is one.
 * Call before a change. */
void journal_settle(struct aqfs_workspace *ws);

/* Fails with AQFS_NEWER_FORMAT if recovery has found a journal of a newer format.  Only the version
 * that wrote it can put the tree back, and only as long as nobody changes it: call this before each
 * change.  It makes journal_settle look again before the next one. */
int journal_check(struct aqfs_workspace *ws, struct error *e);

#endif
