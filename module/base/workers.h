/* workers.h -- the same function on several threads at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WORKERS_H
#define AQFS_WORKERS_H

/* How many workers a call should use where the limit says LIMIT (0 = one a processor). */
unsigned workers_count(long limit);

/* Runs BODY(DATA, i) for i below COUNT, i = 0 on this thread, and waits for all.  Where a thread
 * cannot be had, its BODY runs here after that of 0: bodies may share a queue, not wait for each
 * other to begin.  Workers take no signals, and begin on other processors than the caller's, where
 * there are any. */
void workers_run(unsigned count, void (*body)(void *data, unsigned i), void *data);

#endif
