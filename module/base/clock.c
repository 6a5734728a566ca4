/* clock.c -- what time it is, and when a wait ends: see clock.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "clock.h"

int64_t clock_read_ns(clockid_t clock) {
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * NS_PER_S + now.tv_nsec;
}

int64_t clock_now_ns(void) {
    return clock_read_ns(CLOCK_MONOTONIC);
}

int64_t clock_wall_ns(void) {
    return clock_read_ns(CLOCK_REALTIME);
}

struct timespec clock_end_of_wait(int64_t ns) {
    int64_t end = clock_wall_ns() + ns;
    return (struct timespec){.tv_sec = (time_t)(end / NS_PER_S), .tv_nsec = (long)(end % NS_PER_S)};
}
