/* workers.h -- running a function on several threads at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WORKERS_H
#define AQFS_WORKERS_H

/* The number of workers for a call: LIMIT, or one for each processor when LIMIT is 0; never
 * above 64. */
unsigned workers_count(long limit);

/* Runs BODY(DATA, i) for each i below COUNT and waits for all of them.  BODY(DATA, 0) runs on the
 * calling thread.  If a thread cannot be started, the calling thread runs its body afterwards; so
 * bodies may share a queue, but must not wait for each other to begin.  Workers take no signals,
 * and begin on processors other than the caller's, if there are any. */
void workers_run(unsigned count, void (*body)(void *data, unsigned i), void *data);

#endif
