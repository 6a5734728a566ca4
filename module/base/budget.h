/* budget.h -- how long a call may go on.
 *
 * One budget a call, shared by its threads: it ends by cancellation, by its
 * deadline, or by steps spent (a hostile regexp's backtracking).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_BUDGET_H
#define AQFS_BUDGET_H

#include "error.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How a door stops a call that it waits for on its own thread, without another thread to cancel
 * it.  Asked by that thread alone: workers of the call, such as those of a walk, know nothing of
 * the door, and learn from `stop` what it said. */
struct watch {
    bool (*may_go_on)(void *data);
    void *data;
};

struct budget {
    const int32_t *cancelled;   /* the caller's flag, or NULL */
    atomic_bool stop;           /* set by the call itself: an error elsewhere, or enough found */
    const struct watch *watch;  /* or NULL */
    pthread_t watcher;          /* the thread that asks it */
    int64_t deadline_ns;        /* on CLOCK_MONOTONIC; 0 = none */
    _Atomic int64_t steps_left; /* negative when spent */
};

int64_t clock_now_ns(void);

/* AQFS_OK to go on, else AQFS_CANCELLED (also for `stop`) or AQFS_LIMIT.  Cheap enough to
 * call for every file. */
int budget_check(struct budget *b);

/* Takes STEPS off the budget and checks it. */
int budget_spend(struct budget *b, int64_t steps);

/* The error for a code that budget_check answered. */
int fail_budget(struct error *e, int code);

#endif
