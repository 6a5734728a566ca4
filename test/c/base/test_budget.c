/* SPDX-License-Identifier: MIT */
#include "budget.h"

#include "clock.h"
#include "unity.h"

#include <time.h>

void test_budget__zeroed_goes_on(void) {
    struct budget b = {0};
    TEST_ASSERT_EQUAL_INT(AQFS_OK, budget_check(&b));
}

void test_budget__cancelled_by_the_caller(void) {
    int32_t flag = 0;
    struct budget b = {.cancelled = &flag};
    TEST_ASSERT_EQUAL_INT(AQFS_OK, budget_check(&b));
    flag = 1;
    TEST_ASSERT_EQUAL_INT(AQFS_CANCELLED, budget_check(&b));
    TEST_ASSERT_EQUAL_INT(AQFS_CANCELLED, budget_spend(&b, 1));
}

void test_budget__stopped_by_the_call(void) {
    struct budget b = {0};
    atomic_store(&b.stop, true);
    TEST_ASSERT_EQUAL_INT(AQFS_CANCELLED, budget_check(&b));
}

void test_budget__steps(void) {
    struct budget b = {.steps_left = 10};
    TEST_ASSERT_EQUAL_INT(AQFS_OK, budget_spend(&b, 4));
    TEST_ASSERT_EQUAL_INT(AQFS_OK, budget_spend(&b, 6));
    TEST_ASSERT_EQUAL_INT(AQFS_OK, budget_check(&b));
    TEST_ASSERT_EQUAL_INT(AQFS_LIMIT, budget_spend(&b, 1));
    TEST_ASSERT_EQUAL_INT(AQFS_LIMIT, budget_check(&b));
}

void test_budget__deadline(void) {
    struct budget b = {.deadline_ns = clock_now_ns() + INT64_C(3600000000000)};
    TEST_ASSERT_EQUAL_INT(AQFS_OK, budget_check(&b));
    b.deadline_ns = clock_now_ns() - INT64_C(1000000000);
    TEST_ASSERT_EQUAL_INT(AQFS_LIMIT, budget_check(&b));
}

void test_budget__deadline_comes(void) {
    struct budget b = {.deadline_ns = clock_now_ns() + 20000000};
    const struct timespec pause = {.tv_nsec = 1000000};
    while (budget_check(&b) == AQFS_OK)
        (void)nanosleep(&pause, NULL);
    TEST_ASSERT_EQUAL_INT(AQFS_LIMIT, budget_check(&b));
    TEST_ASSERT_TRUE(clock_now_ns() >= b.deadline_ns);
}

void test_budget__cancelling_beats_limits(void) {
    int32_t flag = 1;
    struct budget b = {.cancelled = &flag, .steps_left = -1, .deadline_ns = 1};
    TEST_ASSERT_EQUAL_INT(AQFS_CANCELLED, budget_check(&b));
}

static bool only_here(void *thread) {
    TEST_ASSERT_TRUE(pthread_equal(*(pthread_t *)thread, pthread_self()));
    return false;
}

static void *check_elsewhere(void *budget) {
    return budget_check(budget) == AQFS_OK ? budget : NULL;
}

/* A walk's workers would call into Emacs from threads that it does not know. */
void test_budget__watched_by_one_thread(void) {
    pthread_t here = pthread_self(), other;
    const struct watch watch = {.may_go_on = only_here, .data = &here};
    struct budget b = {.watch = &watch, .watcher = here};
    void *unwatched = NULL;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&other, NULL, check_elsewhere, &b));
    TEST_ASSERT_EQUAL_INT(0, pthread_join(other, &unwatched));
    TEST_ASSERT_EQUAL_PTR(&b, unwatched);
    TEST_ASSERT_EQUAL_INT(AQFS_CANCELLED, budget_check(&b));
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&other, NULL, check_elsewhere, &b));
    TEST_ASSERT_EQUAL_INT(0, pthread_join(other, &unwatched));
    TEST_ASSERT_NULL(unwatched);
}

void test_budget__errors(void) {
    struct error e;
    TEST_ASSERT_EQUAL_INT(AQFS_CANCELLED, fail_budget(&e, AQFS_CANCELLED));
    TEST_ASSERT_EQUAL_STRING("the call was cancelled", e.message);
    TEST_ASSERT_EQUAL_INT(AQFS_LIMIT, fail_budget(&e, AQFS_LIMIT));
    TEST_ASSERT_EQUAL_STRING("the call reached its limit of time or work", e.message);
}
