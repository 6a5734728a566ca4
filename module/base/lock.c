/* lock.c -- waiting for a lock that another process holds.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lock.h"

#include <errno.h>
#include <sys/file.h>
#include <time.h>

#define WAIT_LEAST_NS 50000
#define WAIT_MOST_NS 5000000

static void wait_a_little(long *ns) {
    struct timespec time = {.tv_nsec = *ns};
    (void)nanosleep(&time, NULL);
    *ns = *ns * 2 < WAIT_MOST_NS ? *ns * 2 : WAIT_MOST_NS;
}

/* flock has no deadline and cannot be cancelled, so this polls, with pauses that double. */
int lock_wait(int fd, struct budget *budget, struct error *e) {
    long wait = WAIT_LEAST_NS;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        int error = errno, code = budget_check(budget);
        if (code)
            return fail_budget(e, code);
        if (error == EWOULDBLOCK)
            wait_a_little(&wait);
        else if (error != EINTR)
            return fail_errno(e, error, "state directory");
    }
    return AQFS_OK;
}
