/* workers.c -- running a function on several threads: see workers.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

#define WORKERS_MAX 64

/* With so many threads a cold tree is read more than twice as fast as with two, and with twice as
 * many hardly faster than that (measured on a virtual disk). */
#define WAITING_WORKERS 8

/* A worker looks how often it has waited once in this many steps. */
#define STEPS_A_LOOK 32

/* The processors on which a new thread begins, and those on which it may run after that. */
struct processors {
    bool known;
    cpu_set_t begin, run;
};

struct worker {
    pthread_t thread;
    bool started;
    unsigned index;
    struct workers *all;
};

struct workers {
    struct processors processors;
    void (*body)(void *data, unsigned i, struct workers *all);
    void *data;
    unsigned most;

    pthread_mutex_t lock; /* guards what follows while workers run */
    atomic_uint count;
    struct worker worker[WORKERS_MAX];
};

/* The processors this process may use.  In a container they are often fewer than the machine has.
 */
static long processor_count(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return sysconf(_SC_NPROCESSORS_ONLN); /* the machine has more than a cpu_set_t holds */
}

unsigned workers_count(long limit) {
    long count = limit > 0 ? limit : processor_count();
    if (count < 1)
        return 1;
    return count > WORKERS_MAX ? WORKERS_MAX : (unsigned)count;
}

unsigned workers_most(long limit) {
    unsigned count = workers_count(limit);
    return limit <= 0 && count < WAITING_WORKERS ? WAITING_WORKERS : count;
}

/* Lets a new thread begin on a processor other than its creator's, which is busy.  Left alone, the
 * kernel of a virtual machine takes an idle processor for one that the host has taken away, and
 * lets both threads share the other processor in turns of 4 ms. */
static void find_processors(struct processors *p) {
    int here = sched_getcpu();
    p->known = here >= 0 && here < CPU_SETSIZE && sched_getaffinity(0, sizeof p->run, &p->run) == 0;
    p->begin = p->run;
    if (p->known)
        CPU_CLR((size_t)here, &p->begin);
    p->known = p->known && CPU_COUNT(&p->begin) > 0;
}

static void *run_started_worker(void *arg) {
    const struct worker *w = arg;
    struct workers *all = w->all;
    if (all->processors.known)
        (void)sched_setaffinity(0, sizeof all->processors.run, &all->processors.run);
    all->body(all->data, w->index, all);
    return NULL;
}

/* When the kernel refuses the processors in ATTRIBUTES, lets it choose: a set of size 0 removes the
 * restriction. */
static bool start_one(struct workers *all, unsigned i, pthread_attr_t *attributes) {
    struct worker *w = &all->worker[i];
    *w = (struct worker){.index = i, .all = all};
    if (pthread_create(&w->thread, attributes, run_started_worker, w) == 0)
        return true;
    const cpu_set_t *any = &all->processors.run;
    return all->processors.known && pthread_attr_setaffinity_np(attributes, 0, any) == 0 &&
           pthread_create(&w->thread, attributes, run_started_worker, w) == 0;
}

/* Attributes of a thread that takes no signals, so that the host's handlers (a Lisp's garbage
 * collector, Emacs) never run on a thread they do not know; false without memory.
 *
 * The caller's own mask is left alone.  glibc takes locks while it creates a thread, and SBCL may
 * have stopped a thread that holds such a lock.  SBCL then waits for this thread, too, to take the
 * signal that stops it; with the signal blocked, both would wait for ever. */
static bool begin_attributes(pthread_attr_t *attributes) {
    sigset_t all;
    (void)sigfillset(&all);
    if (pthread_attr_init(attributes) != 0)
        return false;
    if (pthread_attr_setsigmask_np(attributes, &all) == 0)
        return true;
    (void)pthread_attr_destroy(attributes);
    return false;
}

/* Starts workers 1 and up. */
static void start_workers(struct workers *all, unsigned count) {
    pthread_attr_t attributes;
    if (!begin_attributes(&attributes))
        return;
    if (all->processors.known)
        (void)pthread_attr_setaffinity_np(&attributes, sizeof all->processors.begin,
                                          &all->processors.begin);
    for (unsigned i = 1; i < count && i < WORKERS_MAX; i++)
        all->worker[i].started = start_one(all, i, &attributes);
    (void)pthread_attr_destroy(&attributes);
}

/* Where no thread can be started, no other worker tries. */
static void start_another(struct workers *all) {
    pthread_attr_t attributes;
    if (pthread_mutex_trylock(&all->lock) != 0)
        return;
    unsigned i = atomic_load(&all->count);
    if (i < all->most && begin_attributes(&attributes)) {
        all->worker[i].started = start_one(all, i, &attributes);
        atomic_store(&all->count, all->worker[i].started ? i + 1 : all->most);
        (void)pthread_attr_destroy(&attributes);
    }
    pthread_mutex_unlock(&all->lock);
}

void workers_step(struct workers *all, struct waiting *own) {
    struct rusage used;
    if (own->known && ++own->steps < STEPS_A_LOOK)
        return;
    if (atomic_load(&all->count) >= all->most || getrusage(RUSAGE_THREAD, &used) != 0)
        return;
    if (own->known && used.ru_nvcsw - own->before - own->excused > STEPS_A_LOOK / 2)
        start_another(all);
    *own = (struct waiting){.known = true, .before = used.ru_nvcsw};
}

/* A worker is begun only by one that runs, so when all have been joined there are no others. */
static void join_workers(struct workers *all) {
    for (unsigned i = 1; i < WORKERS_MAX; i++) {
        pthread_mutex_lock(&all->lock);
        bool started = all->worker[i].started;
        pthread_mutex_unlock(&all->lock);
        if (started)
            (void)pthread_join(all->worker[i].thread, NULL);
    }
}

void workers_run_growing(unsigned count, unsigned most,
                         void (*body)(void *data, unsigned i, struct workers *all), void *data) {
    struct workers all = {.body = body, .data = data};
    all.most = most < WORKERS_MAX ? most : WORKERS_MAX;
    atomic_init(&all.count, count);
    (void)pthread_mutex_init(&all.lock, NULL);
    if (count > 1 || most > 1)
        find_processors(&all.processors);
    pthread_mutex_lock(&all.lock); /* those that are started here start no others yet */
    if (count > 1)
        start_workers(&all, count);
    pthread_mutex_unlock(&all.lock);
    for (unsigned i = 0; i < count; i++) {
        if (i >= WORKERS_MAX || !all.worker[i].started)
            body(data, i, &all);
    }
    join_workers(&all);
    (void)pthread_mutex_destroy(&all.lock);
}

/* The body of workers_run, and its data. */
struct plain_body {
    void (*body)(void *data, unsigned i);
    void *data;
};

static void run_plain_body(void *data, unsigned i, struct workers *all) {
    const struct plain_body *plain = data;
    (void)all;
    plain->body(plain->data, i);
}

void workers_run(unsigned count, void (*body)(void *data, unsigned i), void *data) {
    struct plain_body plain = {body, data};
    workers_run_growing(count, count, run_plain_body, &plain);
}
