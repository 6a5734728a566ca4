/* risk.h -- what of a change is dangerous, and why.
 *
 * The bytes of an existing file may be changed without asking anybody: what was
 * done shows in the diff, in `git status`, and in the editor.  Everything else that a
 * change does has a risk, and a plan with any risk is dangerous.  The risks follow
 * from what is done, not from the operation that does it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_RISK_H
#define AQFS_RISK_H

#include "plan.h"

/* Sets `risks` of all changes of P, and its tier. */
int plan_judge(struct work *work, struct plan *p);

/* Writes the member `risks` of CHANGE. */
void risks_describe(const struct change *change, struct reply *r);

#endif
