/* SPDX-License-Identifier: MIT */
/* backends.h -- the conformance table in memory and in a session.
 *
 * In a session, the case's tree is made in the session's own directory, which
 * then has to be as on the host.  In memory it is what a mount brings: the
 * directory on the disk must not change at all, and what is in memory
 * afterwards is compared with what the case says.  A case that cannot be told
 * there does not apply, for a reason that is counted; LIST=1 in the environment
 * lists them.
 */
#ifndef CONFORMANCE_BACKENDS_H
#define CONFORMANCE_BACKENDS_H

#include "table.h"

int backends_run_all(const struct table *t);

#endif
