/* undo.h -- putting one step back, or bringing it to its end, from what the tree shows.
 *
 * The step may have been made or not, and other programs may have written to the
 * tree since: what they wrote stays.  A commit that fails uses this, and the
 * recovery of a commit that was killed.  (Taking back a change that was made is
 * another one, planned in room review.)
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_UNDO_H
#define AQFS_UNDO_H

#include "journal.h"

#include <time.h>

/* The clock of the times of files, which advances in ticks; and the time since the machine started.
 */
#define FILE_CLOCK CLOCK_REALTIME_COARSE
#define UPTIME_CLOCK CLOCK_BOOTTIME
#include "node.h"

/* Each of these returns false if something failed that may succeed later. */

/* Makes the tree as it was before the step. */
bool undo_step(struct aqfs_workspace *ws, const struct journal_step *step);

/* Leaves the step's result, and removes what it replaced or deleted. */
bool undo_finish(struct aqfs_workspace *ws, const struct journal_step *step);

/* For the only step of a commit, whose journal may be older than what it did.  If the tree shows
 * that the step is done, it is brought to its end, because the caller may have been told so.
 * Otherwise it is undone. */
bool undo_lone(struct aqfs_workspace *ws, const struct journal_step *step);

#endif
