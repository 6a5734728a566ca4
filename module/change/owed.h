/* owed.h -- what a commit could not put back or remove, where no journal says so.
 *
 * A workspace without a state directory, or whose files go with the process,
 * has no journal: what failed at the end of a commit is remembered here, and
 * tried again before the next change.
 */
#ifndef AQFS_OWED_H
#define AQFS_OWED_H

#include "journal.h"

/* Remembers copies of the steps of a commit, which is DONE or else to be undone.  Call with the
 * commit's lock held. */
void owed_keep(struct aqfs_workspace *ws, const struct journal_step *steps, size_t n, bool done);

/* Tries again what is owed.  Call before planning. */
void owed_settle(struct aqfs_workspace *ws);

void owed_free(struct owed *owed);

#endif
