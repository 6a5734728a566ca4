/* pending_cleanup.h -- what a commit could not put back or remove, where no journal says so.
 *
 * A workspace without a state directory, or whose files go with the process,
 * has no journal: what failed at the end of a commit is remembered here, and
 * tried again before the next change.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PENDING_CLEANUP_H
#define AQFS_PENDING_CLEANUP_H

#include "journal.h"

/* Remembers copies of the steps of a commit, which is DONE or else to be undone.  Call with the
 * commit's lock held. */
void pending_cleanup_keep(struct aqfs_workspace *ws, const struct journal_step *steps, size_t n,
                          bool done);

/* Tries again to clean up what an earlier commit left.  Call before planning. */
void pending_cleanup_settle(struct aqfs_workspace *ws);

void pending_cleanup_free(struct pending_cleanup *pending);

#endif
