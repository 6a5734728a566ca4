/* workers.h -- the same function on several threads at once. */
#ifndef AQFS_WORKERS_H
#define AQFS_WORKERS_H

/* How many workers a call should use where the limit says LIMIT (0 = one a processor). */
unsigned workers_count(long limit);

/* For workers_run: all descriptors are those of the process, as usual. */
#define WORKERS_SHARE (-1)

/* Runs BODY(DATA, i) for i below COUNT, i = 0 on this thread, and waits for all.  Where a thread
 * cannot be had, its BODY runs here after that of 0: bodies may share a queue, not wait for each
 * other to begin.  Workers take no signals, and begin on other processors than the caller's, where
 * there are any.
 *
 * With KEEP, a descriptor, the new threads have a table of descriptors of their own, with KEEP and
 * the standard three in it: the kernel then neither locks it nor counts who uses an entry, which
 * makes opening many files about a tenth faster.  BODY uses no other descriptor than KEEP and those
 * that it opened itself, and closes them itself. */
void workers_run(unsigned count, int keep, void (*body)(void *data, unsigned i), void *data);

#endif
