/* workers.c -- running a function on several threads: see workers.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#define WORKERS_MAX 64

/* The processors on which a new thread begins, and those on which it may run after that. */
struct processors {
    bool known;
    cpu_set_t begin, run;
};

struct worker {
    pthread_t thread;
    bool started;
    unsigned index;
    const struct processors *processors;
    void (*body)(void *data, unsigned i);
    void *data;
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
    struct worker *w = arg;
    if (w->processors->known)
        (void)sched_setaffinity(0, sizeof w->processors->run, &w->processors->run);
    w->body(w->data, w->index);
    return NULL;
}

/* When the kernel refuses the processors in ATTRIBUTES, lets it choose: a set of size 0 removes the
 * restriction. */
static bool start_one(struct worker *w, pthread_attr_t *attributes) {
    if (pthread_create(&w->thread, attributes, run_started_worker, w) == 0)
        return true;
    const cpu_set_t *any = &w->processors->run;
    return w->processors->known && pthread_attr_setaffinity_np(attributes, 0, any) == 0 &&
           pthread_create(&w->thread, attributes, run_started_worker, w) == 0;
}

/* Starts workers 1 and up with all signals blocked, so that the host's handlers (a Lisp's garbage
 * collector, Emacs) never run on a thread they do not know.
 *
 * Does not touch the caller's own mask.  glibc takes locks while it creates a thread, and SBCL may
 * have stopped a thread that holds such a lock.  SBCL then waits for this thread, too, to take the
 * signal that stops it; with the signal blocked, both would wait for ever. */
static void start_workers(struct worker *workers, unsigned count,
                          const struct processors *processors, void (*body)(void *data, unsigned i),
                          void *data) {
    sigset_t all;
    pthread_attr_t attributes;
    (void)sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0)
        return;
    if (processors->known)
        (void)pthread_attr_setaffinity_np(&attributes, sizeof processors->begin,
                                          &processors->begin);
    if (pthread_attr_setsigmask_np(&attributes, &all) == 0) {
        for (unsigned i = 1; i < count; i++) {
            struct worker *w = &workers[i];
            *w = (struct worker){.index = i, .processors = processors, .body = body, .data = data};
            w->started = start_one(w, &attributes);
        }
    }
    (void)pthread_attr_destroy(&attributes);
}

void workers_run(unsigned count, void (*body)(void *data, unsigned i), void *data) {
    struct worker workers[WORKERS_MAX] = {0};
    struct processors processors = {0};
    if (count > 1) {
        find_processors(&processors);
        start_workers(workers, count < WORKERS_MAX ? count : WORKERS_MAX, &processors, body, data);
    }
    for (unsigned i = 0; i < count; i++) {
        if (i >= WORKERS_MAX || !workers[i].started)
            body(data, i);
    }
    for (unsigned i = 1; i < WORKERS_MAX; i++) {
        if (workers[i].started)
            (void)pthread_join(workers[i].thread, NULL);
    }
}
