/* pending_cleanup.h -- what a commit could not put back or remove.
 *
 * A workspace has no journal if it has no state directory, or if its files end
 * with the process; and where nothing can be written any more, its journal does
 * not say that a change was taken back.  Steps that could not be undone or
 * brought to their end are remembered in memory then, and tried again before the
 * next change and when the workspace ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PENDING_CLEANUP_H
#define AQFS_PENDING_CLEANUP_H

#include "journal.h"

/* Remembers copies of the steps of a commit.  If it is DONE, what it replaced is to be removed;
 * else it is to be undone.  False without memory.  Call with the commit's lock held. */
bool pending_cleanup_keep(struct aqfs_workspace *ws, const struct journal_step *steps, size_t n,
                          bool done);

/* Tries again to clean up what earlier commits left, and then empties the journal. */
void pending_cleanup_settle(struct aqfs_workspace *ws);

/* The same for the last time, when the workspace ends: what is left is left to recovery. */
void pending_cleanup_end(struct aqfs_workspace *ws);

/* Forgets all of it, when the workspace ends. */
void pending_cleanup_free(struct pending_cleanup *pending);

#endif
