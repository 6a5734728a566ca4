/* clock.h -- what time it is, and when a wait ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CLOCK_H
#define AQFS_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)

int64_t clock_read_ns(clockid_t clock);

/* The time on CLOCK_MONOTONIC, which goes on whatever happens to the other. */
int64_t clock_now_ns(void);

/* The time of day, which somebody may set: for what people read, and for the times of files. */
int64_t clock_wall_ns(void);

/* The end of a wait that begins now and lasts NS, as pthread_cond_timedwait takes it. */
struct timespec clock_end_of_wait(int64_t ns);

#endif
