/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include "unity.h"

#include <errno.h>
#include <pthread.h>

void setUp(void) {
}

void tearDown(void) {
}

/* A wait ends when its time is over, also beyond the end of a second. */
void test_clock__a_wait_ends(void) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    int64_t began = clock_now_ns();
    struct timespec end = clock_end_of_wait(3 * NS_PER_MS);
    pthread_mutex_lock(&lock);
    TEST_ASSERT_EQUAL_INT(ETIMEDOUT, pthread_cond_timedwait(&never, &lock, &end));
    pthread_mutex_unlock(&lock);
    TEST_ASSERT_TRUE(clock_now_ns() - began >= NS_PER_MS);
}

void test_clock__the_end_of_a_wait_is_a_time(void) {
    for (int64_t ns = 0; ns < 3 * NS_PER_S; ns += NS_PER_S / 10) {
        int64_t before = clock_wall_ns();
        struct timespec end = clock_end_of_wait(ns);
        int64_t at = end.tv_sec * NS_PER_S + end.tv_nsec;
        TEST_ASSERT_TRUE(end.tv_nsec >= 0 && end.tv_nsec < NS_PER_S);
        TEST_ASSERT_TRUE(at >= before + ns && at <= clock_wall_ns() + ns);
    }
}
