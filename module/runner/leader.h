/* leader.h -- one command from its request to the end of all that it started.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LEADER_H
#define AQFS_LEADER_H

#include <sys/types.h>

/* Reads a request from IN, runs it, and tells OUT of it, as the child of GUARD.  Returns when the
 * command and all that it has started have ended, which they do at the latest when IN ends: then
 * the owner has gone. Returns the status that the process is to exit with. */
int leader_run(pid_t guard, int in, int out);

#endif
