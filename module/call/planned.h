/* planned.h -- running an operation that changes something.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PLANNED_H
#define AQFS_PLANNED_H

#include "call.h"

/* Runs C, whose row has `plan`, by its verb: shows the plan, or refuses it, or writes the reply and
 * then commits.  The reply's map is open; on success it is finished (call_finish).
 *
 * A plan that was shown or refused is kept with the workspace, so that its commit need not plan
 * again: see planned.c.  Safe from any thread. */
int planned_run(struct call *c);

/* AQFS_OK if the caller's authority is enough for P, and P has the digest that the call gives, if
 * any.  Otherwise AQFS_APPROVAL_REQUIRED, with the plan in the refusal, so that a front end can ask
 * a person and come back with the digest; or AQFS_STALE. */
int authorise(struct call *c, struct plan *p);

#endif
