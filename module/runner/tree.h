/* tree.h -- the processes that come from this one: found, signalled, ended.
 *
 * This process is a child subreaper: whatever a descendant does to its group, its session, its
 * parent or its environment, the kernel makes its orphans children of this process.  So what has
 * been started is known, and is gone when this process has no child any more.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_TREE_H
#define AQFS_TREE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pids {
    pid_t *at;
    size_t n, cap;
};

void pids_free(struct pids *pids);
bool pids_has(const struct pids *pids, pid_t pid);
bool pids_add(struct pids *pids, pid_t pid);

/* Makes this process the parent of its descendants' orphans. */
bool tree_adopt(void);

/* Sends SIGNAL to all descendants. */
void tree_signal(int signal);

/* Kills the children that this process has, and adds to KILLED those that it does not have yet.
 * Their own children become this one's.  Returns how many there were. */
size_t tree_kill_children(struct pids *killed);

/* Kills and reaps until there is no child, but not longer than some seconds. */
void tree_end(void);

#endif
