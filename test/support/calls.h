/* calls.h -- system calls that are there, or are taken away.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_CALLS_H
#define TEST_CALLS_H

#include <stdbool.h>

/* Was the call NAME taken away from the core that is tested, or from the machine, by
 * test/without/run? */
bool lacks_call(const char *name);
/* Is there openat2?  Under valgrind, for example, there is not. */
bool has_openat2(void);

/* For children, from now on: makes a system call fail with ERRNUM; the same where its ARGUMENT,
 * from 0, has VALUE; ends the process that makes it.  False where no filter is permitted. */
bool forbid_call(long number, int errnum);
bool forbid_call_with(long number, unsigned argument, unsigned value, int errnum);
bool end_at_call(long number);

#endif
