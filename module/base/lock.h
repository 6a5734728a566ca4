/* lock.h -- waiting for a lock that another process holds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LOCK_H
#define AQFS_LOCK_H

#include "budget.h"

/* Locks FD exclusively, and waits for that as long as the budget lasts.  The lock ends when the
 * descriptor is closed, and so when the process ends. */
int lock_wait(int fd, struct budget *budget, struct error *e);

#endif
