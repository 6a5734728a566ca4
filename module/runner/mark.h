/* mark.h -- processes of a container, which are no descendants of this one, known by a mark.
 *
 * The first process of a container adopts its orphans, so what was started in a container by
 * `podman exec` cannot be found by who its parents are.  It has a mark instead: a variable in
 * its first environment, and a limit of resident memory, which Linux ignores and inherits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MARK_H
#define AQFS_MARK_H

#include "tree.h"

#include <sys/resource.h>

#define MARK_VARIABLE "AGENT_Q_FS_COMMAND"

/* Sends SIGNAL to the processes that live and have the mark VALUE or LIMIT (bytes); adds to FOUND
 * those that it does not have.  Returns how many live. */
size_t mark_signal(const char *value, rlim_t limit, int signal, struct pids *found);

#endif
