/* guard.h -- a process and a second one that guard each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GUARD_H
#define AQFS_GUARD_H

/* Has a child do WORK with the descriptors IN and OUT, and returns the status to exit with.
 *
 * Both adopt the orphans of what they start.  When the child dies, its descendants become this
 * process's, which ends them; when this process dies, the child is told by the kernel, and ends
 * them.  The child is in a session of its own, so that a signal to this process's group
 * does not reach both. */
int guard_run(int in, int out, int (*work)(int in, int out));

#endif
