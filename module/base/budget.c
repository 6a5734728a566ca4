/* budget.c -- the time and work that a call may spend: see budget.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "budget.h"

#include "clock.h"

int budget_check(struct budget *b) {
    if (b->cancelled && __atomic_load_n(b->cancelled, __ATOMIC_RELAXED) != 0)
        return AQFS_CANCELLED;
    /* The door's answer goes into `stop`, because the other threads of the call must not ask the
     * door. */
    if (b->watch && pthread_equal(b->watcher, pthread_self()) &&
        !b->watch->may_go_on(b->watch->data))
        atomic_store_explicit(&b->stop, true, memory_order_relaxed);
    if (atomic_load_explicit(&b->stop, memory_order_relaxed))
        return AQFS_CANCELLED;
    if (atomic_load_explicit(&b->steps_left, memory_order_relaxed) < 0)
        return AQFS_LIMIT;
    /* The coarse clock lags by some milliseconds, but reading it does not touch the hardware timer.
     */
    if (b->deadline_ns != 0 && clock_read_ns(CLOCK_MONOTONIC_COARSE) >= b->deadline_ns)
        return AQFS_LIMIT;
    return AQFS_OK;
}

int budget_spend(struct budget *b, int64_t steps) {
    (void)atomic_fetch_sub_explicit(&b->steps_left, steps, memory_order_relaxed);
    return budget_check(b);
}

int fail_budget(struct error *e, int code) {
    if (code == AQFS_CANCELLED)
        return fail(e, AQFS_CANCELLED, "the call was cancelled");
    return fail(e, AQFS_LIMIT, "the call reached its limit of time or work");
}
