/* ignored.h -- which targets of a plan git ignores.
 *
 * An ignored file shows in no `git status`.  Asked are the .gitignore of each
 * directory from the root of the workspace down to the target, and the
 * .git/info/exclude beside it.  Rules outside of the workspace are not seen.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_IGNORED_H
#define AQFS_IGNORED_H

#include "plan.h"

/* Adds RISK_IGNORED to each of the N CHANGES whose target is ignored.  It orders CHANGES anew.  A
 * target that would take too much work to judge counts as ignored. */
int mark_ignored(struct work *work, struct change **changes, size_t n);

#endif
