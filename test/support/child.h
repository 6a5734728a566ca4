/* child.h -- children of a test, which may spoil their process or be killed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* Forks; what was printed before is printed once.  Dies where that fails. */
pid_t start_child(void);
/* Waits for CHILD and answers its status, as waitpid has it. */
int end_child(pid_t child);
/* Runs BODY with DATA in a child and answers the child's status.  A child whose BODY returns ends
 * with status 0 and without running what is registered for the end of the program. */
int run_apart(void (*body)(void *data), void *data);
bool was_killed(int status);

/* Runs BODY in a child; it answers 0, or the line of a CHILD_CHECK that failed. */
int in_child(int (*body)(void));
#define CHILD_CHECK(condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__;                                                                       \
    } while (0)
#define CHILD_SKIP 100000

/* For children: from now on this system call fails with ERRNUM. */
bool forbid_call(long number, int errnum);
/* For children: mounts of their own; false where that is not permitted. */
bool own_mounts(void);

#endif
