/* destination.h -- where move_file and copy_file put something; the steps are in move_file.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DESTINATION_H
#define AQFS_DESTINATION_H

#include "call.h"
#include "plan.h"

/* Locates the argument `destination` with FLAGS and sets CHANGE's `at`, `seen` and `given`. Nothing
 * may be there, or a file or link that the argument `allow_overwrite` allows to replace:
 * AQFS_EXISTS, AQFS_NOT_A_DIRECTORY and the errors of plan_locate. */
int locate_destination(struct call *c, struct plan *p, struct change *change, unsigned flags);

/* Are source and destination two names of one file? */
bool moves_onto_itself(const struct change *change);

/* Hashes what is moved or copied, and what it replaces at the destination. */
int hash_both(struct call *c, struct change *change);

/* Adds DRAFT to the plan, behind the directories that must be made for it. */
int add_with_parents(struct call *c, struct plan *p, const struct change *draft);

#endif
