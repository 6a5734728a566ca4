/* workers.c -- the same function on several threads: see workers.h. */
#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <unistd.h>

#define WORKERS_MAX 64

struct worker {
    pthread_t thread;
    bool started;
    unsigned index;
    void (*body)(void *data, unsigned i);
    void *data;
};

/* The processors this process may use, which in a container are often fewer than there are. */
static long processors(void) {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set);
    return sysconf(_SC_NPROCESSORS_ONLN); /* more than a cpu_set_t holds */
}

unsigned workers_count(long limit) {
    long count = limit > 0 ? limit : processors();
    if (count < 1)
        return 1;
    return count > WORKERS_MAX ? WORKERS_MAX : (unsigned)count;
}

static void *run_worker(void *arg) {
    struct worker *w = arg;
    w->body(w->data, w->index);
    return NULL;
}

/* Starts workers 1 to COUNT - 1 with all signals blocked: the host's handlers (a Lisp's garbage
 * collector, Emacs) never run on a thread they do not know.  The caller's own mask stays as it is,
 * because glibc takes locks while it makes a thread: SBCL may have stopped another thread that
 * holds one, and waits with all its threads for this one to take the signal that stops it. */
static void start(struct worker *workers, unsigned count, void (*body)(void *data, unsigned i),
                  void *data) {
    sigset_t all;
    pthread_attr_t attributes;
    (void)sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0)
        return;
    if (pthread_attr_setsigmask_np(&attributes, &all) == 0) {
        for (unsigned i = 1; i < count; i++) {
            struct worker *w = &workers[i];
            *w = (struct worker){.index = i, .body = body, .data = data};
            w->started = pthread_create(&w->thread, &attributes, run_worker, w) == 0;
        }
    }
    (void)pthread_attr_destroy(&attributes);
}

void workers_run(unsigned count, void (*body)(void *data, unsigned i), void *data) {
    struct worker workers[WORKERS_MAX] = {0};
    start(workers, count < WORKERS_MAX ? count : WORKERS_MAX, body, data);
    for (unsigned i = 0; i < count; i++) {
        if (i >= WORKERS_MAX || !workers[i].started)
            body(data, i);
    }
    for (unsigned i = 1; i < WORKERS_MAX; i++) {
        if (workers[i].started)
            (void)pthread_join(workers[i].thread, NULL);
    }
}
