/* planned.h -- running an operation that changes something.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PLANNED_H
#define AQFS_PLANNED_H

#include "call.h"

/* Takes :authority, :digest and :preview out of the request. */
int planned_read_request(struct call *c, const json_t *request);

/* Plans; then shows the plan, or refuses it, or commits and reports.  The reply's map is open. */
int planned_run(struct call *c);

#endif
