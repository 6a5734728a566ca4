/* workers.c -- the same function on several threads: see workers.h. */
#include "workers.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef SYS_close_range
#include <linux/close_range.h>
#endif

#define WORKERS_MAX 64

struct worker {
    pthread_t thread;
    bool started;
    unsigned index;
    int keep;
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

/* Gives this thread a table of descriptors of its own.  Nothing but KEEP and the standard ones
 * stays in it: the host may close a pipe meanwhile, and whoever reads from it must see that.  Where
 * the kernel refuses the first step, all is shared as before. */
static void own_descriptors(int keep) {
#if defined(SYS_close_range) && defined(CLOSE_RANGE_UNSHARE)
    unsigned kept = keep > STDERR_FILENO ? (unsigned)keep : STDERR_FILENO;
    if (keep < 0 || syscall(SYS_close_range, kept + 1, ~0U, CLOSE_RANGE_UNSHARE) != 0)
        return;
    if (kept > STDERR_FILENO + 1)
        (void)syscall(SYS_close_range, STDERR_FILENO + 1, kept - 1, 0);
#else
    (void)keep;
#endif
}

static void *run_worker(void *arg) {
    struct worker *w = arg;
    own_descriptors(w->keep);
    w->body(w->data, w->index);
    return NULL;
}

/* Starts workers 1 to COUNT - 1 with all signals blocked: the host's handlers (a Lisp's garbage
 * collector, Emacs) never run on a thread they do not know.  The caller's own mask stays as it is,
 * because glibc takes locks while it makes a thread: SBCL may have stopped another thread that
 * holds one, and waits with all its threads for this one to take the signal that stops it. */
static void start(struct worker *workers, unsigned count, int keep,
                  void (*body)(void *data, unsigned i), void *data) {
    sigset_t all;
    pthread_attr_t attributes;
    (void)sigfillset(&all);
    if (pthread_attr_init(&attributes) != 0)
        return;
    if (pthread_attr_setsigmask_np(&attributes, &all) == 0) {
        for (unsigned i = 1; i < count; i++) {
            struct worker *w = &workers[i];
            *w = (struct worker){.index = i, .keep = keep, .body = body, .data = data};
            w->started = pthread_create(&w->thread, &attributes, run_worker, w) == 0;
        }
    }
    (void)pthread_attr_destroy(&attributes);
}

void workers_run(unsigned count, int keep, void (*body)(void *data, unsigned i), void *data) {
    struct worker workers[WORKERS_MAX] = {0};
    start(workers, count < WORKERS_MAX ? count : WORKERS_MAX, keep, body, data);
    for (unsigned i = 0; i < count; i++) {
        if (i >= WORKERS_MAX || !workers[i].started)
            body(data, i);
    }
    for (unsigned i = 1; i < WORKERS_MAX; i++) {
        if (workers[i].started)
            (void)pthread_join(workers[i].thread, NULL);
    }
}
