/* processes.h -- looks at a process from outside.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_PROCESSES_H
#define TEST_PROCESSES_H

#include <stdbool.h>
#include <sys/types.h>

/* The most memory that PID has had at once; 0 if it is gone. */
long process_peak_kb(pid_t pid);
/* True if all threads of PID wait for something. */
bool process_is_asleep(pid_t pid);

#endif
