/* budget.h -- the time and work that a call may spend.
 *
 * A call has one budget, which its threads share.  It ends when the call is
 * cancelled, at its deadline, or when its steps are spent (a hostile regular
 * expression's backtracking).
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

/* Lets a door stop a call that runs on the door's own thread, without a second thread to cancel it.
 * Only that thread calls may_go_on.  The workers of the call, such as those of a walk, know nothing
 * of the door; they read its answer in `stop`. */
struct watch {
    bool (*may_go_on)(void *data);
    void *data;
};

struct budget {
    const int32_t *cancelled;   /* the caller's flag, or NULL */
    atomic_bool stop;           /* set by the call: an error on another thread, or enough found */
    const struct watch *watch;  /* or NULL */
    pthread_t watcher;          /* the only thread that calls it */
    int64_t deadline_ns;        /* on CLOCK_MONOTONIC; 0 = none */
    _Atomic int64_t steps_left; /* negative when spent */
};

/* AQFS_OK to go on, else AQFS_CANCELLED (also for `stop`) or AQFS_LIMIT.  Cheap enough to
 * call for every file. */
int budget_check(struct budget *b);

/* Subtracts STEPS from the budget and checks it. */
int budget_spend(struct budget *b, int64_t steps);

/* Sets E for CODE, which budget_check or budget_spend returned, and returns CODE. */
int fail_budget(struct error *e, int code);

#endif
