/* undo.h -- putting one change back, or ending it, from what the tree shows.
 *
 * A step may have been made or not, and others may have written meanwhile: what
 * they wrote stays.  This serves a commit that fails and the recovery of one
 * that was killed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_UNDO_H
#define AQFS_UNDO_H

#include "journal.h"
#include "node.h"

/* The tree as it was before the step.  False where that failed and may be tried again. */
bool undo_step(struct aqfs_workspace *ws, const struct journal_step *step);

/* Nothing but the step's result: removes what it replaced or deleted.  False as above. */
bool undo_finish(struct aqfs_workspace *ws, const struct journal_step *step);

/* For the only step of a commit, whose journal may be older than what it did: where that shows to
 * be done it is ended, since it may have been answered so; else it is undone.  False as above. */
bool undo_lone(struct aqfs_workspace *ws, const struct journal_step *step);

/* Removes what has the temporary name TEMP in an open directory.  False as above. */
bool undo_discard(struct aqfs_workspace *ws, const struct parent *parent, const char *temp);

#endif
