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

#endif
