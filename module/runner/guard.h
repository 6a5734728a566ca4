/* guard.h -- a process and a second one that guard each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GUARD_H
#define AQFS_GUARD_H

#include <signal.h>
#include <sys/types.h>

/* By this signal the kernel tells the child that the guard has died: it goes on by it where it was
 * stopped.  Anybody may send it, so the child looks whether its parent is still the guard. */
#define GUARD_DIED SIGCONT

/* The work of the child: GUARD is the process that guards it. */
typedef int guard_work(pid_t guard, int in, int out);

/* Has a child do WORK with the descriptors IN and OUT, and returns the status to exit with.
 *
 * Both adopt the orphans of what they start.  When the child dies, its descendants become this
 * process's, which ends them; when this process dies, the child is told by the kernel, and ends
 * them, even if it was stopped.  The child is in a session of its own, so that a signal to this
 * process's group does not reach both. */
int guard_run(int in, int out, guard_work *work);

#endif
