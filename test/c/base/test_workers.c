/* SPDX-License-Identifier: MIT */
#include "workers.h"

#include "support.h"
#include "unity.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MOST 200

struct seen {
    pthread_t caller;
    atomic_int runs[MOST];
    atomic_int elsewhere;   /* on another thread */
    atomic_bool first_here; /* worker 0 on the caller's */
    atomic_int open_to_signals;
};

static void look(void *data, unsigned i) {
    struct seen *seen = data;
    bool here = pthread_equal(pthread_self(), seen->caller) != 0;
    atomic_fetch_add(&seen->runs[i], 1);
    if (i == 0)
        atomic_store(&seen->first_here, here);
    if (here)
        return;
    atomic_fetch_add(&seen->elsewhere, 1);
    sigset_t mask;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (!sigismember(&mask, SIGINT) || !sigismember(&mask, SIGUSR1))
        atomic_fetch_add(&seen->open_to_signals, 1);
}

static void run_and_check(unsigned count, struct seen *seen) {
    memset(seen, 0, sizeof *seen);
    seen->caller = pthread_self();
    workers_run(count, look, seen);
    for (unsigned i = 0; i < MOST; i++)
        TEST_ASSERT_EQUAL_INT(i < count, atomic_load(&seen->runs[i]));
    TEST_ASSERT_EQUAL_INT(count > 0, atomic_load(&seen->first_here));
}

void test_workers__count_follows_the_limit(void) {
    TEST_ASSERT_EQUAL_UINT(1, workers_count(1));
    TEST_ASSERT_EQUAL_UINT(5, workers_count(5));
    TEST_ASSERT_EQUAL_UINT(64, workers_count(64));
    TEST_ASSERT_EQUAL_UINT(64, workers_count(1000));
}

void test_workers__count_is_one_a_processor(void) {
    cpu_set_t before, one;
    TEST_ASSERT_EQUAL_INT(0, sched_getaffinity(0, sizeof before, &before));
    TEST_ASSERT_TRUE(workers_count(0) >= 1);
    CPU_ZERO(&one);
    for (size_t cpu = 0; CPU_COUNT(&one) == 0; cpu++) {
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    }
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof one, &one));
    unsigned count = workers_count(0);
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof before, &before));
    TEST_ASSERT_EQUAL_UINT(1, count);
}

void test_workers__each_index_once(void) {
    struct seen seen;
    for (unsigned count = 0; count <= 16; count++)
        run_and_check(count, &seen);
    run_and_check(4, &seen);
    TEST_ASSERT_EQUAL_INT(3, atomic_load(&seen.elsewhere));
}

void test_workers__more_than_there_are_threads_for(void) {
    struct seen seen;
    run_and_check(MOST, &seen);
}

/* AddressSanitizer of gcc 14 gives a thread the mask of the thread that started it, whatever its
 * attributes say.  The runs that do not look for lost memory see ours. */
void test_workers__take_no_signals(void) {
    struct seen seen;
    if (getenv("ASAN_OPTIONS"))
        TEST_IGNORE_MESSAGE("AddressSanitizer chooses the masks of threads");
    sigset_t before, after;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    run_and_check(4, &seen);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&seen.open_to_signals));
    for (int signal = 1; signal < NSIG; signal++)
        TEST_ASSERT_EQUAL_INT(sigismember(&before, signal), sigismember(&after, signal));
}

/* With stacks larger than all memory no thread can be started: the caller does all the work. */
void test_workers__without_threads(void) {
    pthread_attr_t before, huge;
    TEST_ASSERT_EQUAL_INT(0, pthread_getattr_default_np(&before));
    TEST_ASSERT_EQUAL_INT(0, pthread_attr_init(&huge));
    TEST_ASSERT_EQUAL_INT(0, pthread_attr_setstacksize(&huge, (size_t)1 << 60));
    TEST_ASSERT_EQUAL_INT(0, pthread_setattr_default_np(&huge));
    struct seen seen;
    run_and_check(4, &seen);
    TEST_ASSERT_EQUAL_INT(0, pthread_setattr_default_np(&before));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&seen.elsewhere));
    (void)pthread_attr_destroy(&huge);
    (void)pthread_attr_destroy(&before);
}

/* ---- Processors */

static void look_at_processors(void *data, unsigned i) {
    cpu_set_t *allowed = data;
    (void)sched_getaffinity(0, sizeof allowed[i], &allowed[i]);
}

static int begin_elsewhere(void) {
    cpu_set_t allowed[2], both;
    /* A thread may not choose its own processors, but those of another. */
    if (!forbid_call_with(SYS_sched_setaffinity, 0, 0, EPERM))
        return CHILD_SKIP;
    workers_run(2, look_at_processors, allowed);
    CPU_AND(&both, &allowed[0], &allowed[1]);
    CHILD_CHECK(CPU_EQUAL(&both, &allowed[1]));
    CHILD_CHECK(CPU_COUNT(&allowed[1]) == CPU_COUNT(&allowed[0]) - 1);
    return 0;
}

/* A new thread belongs on a processor that is idle, though the kernel of a virtual machine often
 * decides otherwise. */
void test_workers__begin_on_other_processors(void) {
    if (workers_count(0) < 2)
        TEST_IGNORE_MESSAGE("there is one processor");
    run_child(begin_elsewhere, "seccomp filters are not permitted here");
}

static void run_allowed(const cpu_set_t *wanted) {
    cpu_set_t allowed[2];
    TEST_ASSERT_EQUAL_INT(0, sched_setaffinity(0, sizeof *wanted, wanted));
    workers_run(2, look_at_processors, allowed);
    TEST_ASSERT_TRUE(CPU_EQUAL(wanted, &allowed[0]));
    TEST_ASSERT_TRUE(CPU_EQUAL(wanted, &allowed[1]));
}

void test_workers__may_run_wherever_the_caller_may(void) {
    cpu_set_t before, one;
    TEST_ASSERT_EQUAL_INT(0, sched_getaffinity(0, sizeof before, &before));
    CPU_ZERO(&one);
    CPU_SET((size_t)sched_getcpu(), &one);
    run_allowed(&one);
    run_allowed(&before);
}

static int processors_are_forbidden(void) {
    struct seen seen = {.caller = pthread_self()};
    if (!forbid_call(SYS_sched_setaffinity, EPERM))
        return CHILD_SKIP;
    workers_run(4, look, &seen);
    CHILD_CHECK(atomic_load(&seen.elsewhere) == 3);
    return 0;
}

void test_workers__where_no_processor_may_be_chosen(void) {
    run_child(processors_are_forbidden, "seccomp filters are not permitted here");
}

/* ---- More workers, where some wait */

#define STEPS 2000

struct steps {
    atomic_int begun;
    int enough; /* a body ends when so many have begun */
    bool waits, excused;
};

/* Up to STEPS steps, in each of which the thread may wait. */
static void take_steps(void *data, unsigned i, struct workers *all) {
    struct steps *s = data;
    struct waiting own = {0};
    (void)i;
    atomic_fetch_add(&s->begun, 1);
    for (int step = 0; step < STEPS && atomic_load(&s->begun) < s->enough; step++) {
        if (s->waits)
            (void)nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
        own.excused += s->excused;
        workers_step(all, &own);
    }
}

static int begun_of(unsigned count, unsigned most, bool waits, bool excused) {
    struct steps s = {.enough = (int)most, .waits = waits, .excused = excused};
    workers_run_growing(count, most, take_steps, &s);
    return atomic_load(&s.begun);
}

void test_workers__more_begin_where_they_wait(void) {
    TEST_ASSERT_EQUAL_INT(2, begun_of(1, 2, true, false));
    TEST_ASSERT_EQUAL_INT(9, begun_of(3, 9, true, false));
    TEST_ASSERT_EQUAL_INT(64, begun_of(2, 1000, true, false));
}

void test_workers__no_more_begin_where_none_waits(void) {
    TEST_ASSERT_EQUAL_INT(2, begun_of(2, 9, false, false));
    TEST_ASSERT_EQUAL_INT(2, begun_of(2, 9, true, true));
}

void test_workers__never_more_than_the_limit(void) {
    TEST_ASSERT_EQUAL_INT(4, begun_of(4, 4, true, false));
    TEST_ASSERT_EQUAL_UINT(3, workers_most(3));
    TEST_ASSERT_EQUAL_UINT(64, workers_most(1000));
    TEST_ASSERT_TRUE(workers_most(0) >= 8);
}

static int grow_without_threads(void) {
    pthread_attr_t huge;
    CHILD_CHECK(pthread_attr_init(&huge) == 0);
    CHILD_CHECK(pthread_attr_setstacksize(&huge, (size_t)1 << 60) == 0);
    CHILD_CHECK(pthread_setattr_default_np(&huge) == 0);
    CHILD_CHECK(begun_of(1, 9, true, false) == 1);
    return 0;
}

void test_workers__go_on_where_no_more_can_begin(void) {
    run_child(grow_without_threads, "");
}
