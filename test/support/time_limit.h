/* time_limit.h -- a limit of time for each test, so that a hang costs seconds and has a name.
 *
 * It finds hangs and measures nothing: a test that waits may take TIME_LIMIT_S seconds, and one
 * that computes TIME_LIMIT_CPU_S seconds of processors, whatever else the machine does.  Both are
 * multiplied by $AQFS_TEST_SLOWNESS, which is 1 where it is not set: valgrind, an emulator or a
 * sanitizer takes longer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_TIME_LIMIT_H
#define TEST_TIME_LIMIT_H

enum { TIME_LIMIT_S = 120, TIME_LIMIT_CPU_S = 40, TIME_LIMIT_STATUS = 3 };

/* Begins the time of what FORMAT names, and ends that of what was named before.  When the time is
 * over, the program prints the name and ends with TIME_LIMIT_STATUS. */
__attribute__((format(printf, 1, 2))) void time_limit_begin(const char *format, ...);
void time_limit_end(void);

#endif
