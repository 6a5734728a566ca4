/* workers.h -- running a function on several threads at once.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WORKERS_H
#define AQFS_WORKERS_H

#include <stdbool.h>

/* The number of workers for a call: LIMIT, or one for each processor when LIMIT is 0; never
 * above 64. */
unsigned workers_count(long limit);

/* Runs BODY(DATA, i) for each i below COUNT and waits for all of them.  BODY(DATA, 0) runs on the
 * calling thread.  If a thread cannot be started, the calling thread runs its body afterwards; so
 * bodies may share a queue, but must not wait for each other to begin.  Workers take no signals,
 * and begin on processors other than the caller's, if there are any. */
void workers_run(unsigned count, void (*body)(void *data, unsigned i), void *data);

/* Workers that become more while they wait: for the disk, or for a file server.  Where everything
 * is in memory there are as many as there are processors, and more would be of no use; where
 * nothing is, some threads wait while others read, and the disk is given several tasks at once. */
struct workers;

/* How often one worker has waited.  Zeroed when its body begins. */
struct waiting {
    unsigned steps; /* since the last look */
    bool known;
    long before;  /* how often the thread had waited then */
    long excused; /* how often it has waited since for another reason; the body counts this */
};

/* The number of workers that a call may come to have: LIMIT, or at least 8 when LIMIT is 0. */
unsigned workers_most(long limit);

/* As workers_run, with a body that also gets the workers that it is one of.  Up to MOST of them are
 * run, the indices of the later ones following on COUNT. */
void workers_run_growing(unsigned count, unsigned most,
                         void (*body)(void *data, unsigned i, struct workers *all), void *data);

/* To be called by a body after each step of its work, such as a file read.  Begins another worker
 * when this one has waited in most of its last steps. */
void workers_step(struct workers *all, struct waiting *own);

#endif
