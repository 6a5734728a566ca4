/* plan_repository.h -- a plan touches no repository's own directory, and makes none.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PLAN_REPOSITORY_H
#define AQFS_PLAN_REPOSITORY_H

#include "plan.h"

/* Refuses a plan that changes something inside a directory that git takes for a repository
 * (repository.h), that would make one of some directory, or that writes or makes a `.git`.  A
 * repository may be deleted or moved as a whole, and what is inside of a working tree may be
 * changed that lies in the directory of its repository.  AQFS_RESTRICTED.
 *
 * Notes in each change which directories were judged: `above` and `above_from`. */
int plan_check_repositories(struct work *work, const struct plan *p);

/* The part of this that what others do meanwhile may change: with P, would a directory become a
 * repository? */
int plan_check_made_repositories(struct work *work, const struct plan *p);

#endif
