/* child.h -- children of a test, which may spoil their process or be killed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

/* Forks.  Output from before the fork is printed only once.  Dies when fork fails.  The child is
 * killed when the thread that forked ends. */
pid_t start_child(void);
/* Waits for CHILD and returns its status, as waitpid gives it. */
int end_child(pid_t child);
/* Runs BODY with DATA in a child and returns the child's status.  If BODY returns, the child ends
 * with status 0, without the functions that are registered for the end of the program. */
int run_apart(void (*body)(void *data), void *data);
bool was_killed(int status);

/* Runs BODY in a child.  BODY returns 0, or the line of a CHILD_CHECK that failed. */
int in_child(int (*body)(void));
#define CHILD_CHECK(condition)                                                                     \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return __LINE__;                                                                       \
    } while (0)
#define CHILD_SKIP 100000

/* For children: unshares the mounts; false when that is not permitted. */
bool own_mounts(void);
/* The same, and mounts a file system that folds letter case on the directory ON, which for FUSE
 * must be empty; false where there is none.  Makes the file IMAGE and the directory FOLDING for it.
 */
bool mount_folding(const char *image, const char *folding, const char *on);

#endif
