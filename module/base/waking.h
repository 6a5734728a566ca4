/* waking.h -- one thread wakes another.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WAKING_H
#define AQFS_WAKING_H

/* Makes the eventfd FD readable, for the thread that polls it.  A signal handler may do it. */
void wake_poller(int fd);

#endif
