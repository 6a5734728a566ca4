/* lock.h -- waiting for a file that another process has locked.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LOCK_H
#define AQFS_LOCK_H

#include "budget.h"

/* Takes the lock of FD, shared with other readers or alone, as long as the budget lasts.  It ends
 * with the descriptor, and so with the process. */
int lock_wait(int fd, bool shared, struct budget *budget, struct error *e);

#endif
