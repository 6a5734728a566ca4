/* commit_windows.c -- many steps in no particular order, by several threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_parts.h"

#include "workers.h"

/* How many threads, however few processors there are: most of the time they wait for a disk, which
 * can do several things at once.  And however many there are: each thread has files open. */
#define WORKERS 8

/* The whole commit, and the windows of it that nobody has taken yet. */
struct windows {
    struct commit *whole;
    int (*do_window)(struct commit *, size_t from, size_t to);
    pthread_mutex_t lock; /* guards all below */
    size_t next;
    size_t failed; /* the first window that did, of those begun */
    int code;
    struct error error;
};

static bool take_window(struct windows *w, size_t *from) {
    pthread_mutex_lock(&w->lock);
    bool any = !w->code && w->next < w->whole->n;
    *from = w->next;
    if (any) {
        work_progress(w->whole->work, (int64_t)w->next);
        w->next += WINDOW;
    }
    pthread_mutex_unlock(&w->lock);
    return any;
}

/* Keeps the error of the first window, so that the answer does not depend on which thread was
 * faster. */
static void note_failure(struct windows *w, size_t from, int code, const struct error *e) {
    pthread_mutex_lock(&w->lock);
    if (!w->code || from < w->failed) {
        w->failed = from;
        w->code = code;
        w->error = *e;
    }
    pthread_mutex_unlock(&w->lock);
}

static void do_windows(void *data, unsigned i) {
    struct windows *w = data;
    struct error error = {0};
    size_t from;
    (void)i;
    pthread_mutex_lock(&w->lock);
    struct commit mine = *w->whole;
    pthread_mutex_unlock(&w->lock);
    mine.e = &error;
    while (take_window(w, &from)) {
        size_t left = mine.n - from;
        int code = w->do_window(&mine, from, from + (left < WINDOW ? left : WINDOW));
        if (code)
            note_failure(w, from, code, &error);
    }
    commit_forget_parent(&mine);
    pthread_mutex_lock(&w->lock);
    w->whole->needs_cleanup = w->whole->needs_cleanup || mine.needs_cleanup;
    pthread_mutex_unlock(&w->lock);
}

/* One thread does for a backend in memory, where there is nothing to wait for. */
static size_t workers_of(const struct commit *m) {
    int64_t allowed = m->ws->limits.threads;
    if (!m->backend->durable)
        return 1;
    return allowed > 0 && allowed < WORKERS ? (size_t)allowed : WORKERS;
}

int commit_windows(struct commit *m, int (*do_window)(struct commit *, size_t from, size_t to)) {
    commit_forget_parent(m);
    struct windows w = {.whole = m, .do_window = do_window};
    size_t windows = (m->n + WINDOW - 1) / WINDOW;
    size_t workers = workers_of(m);
    (void)pthread_mutex_init(&w.lock, NULL);
    workers_run((unsigned)(windows < workers ? windows : workers), do_windows, &w);
    (void)pthread_mutex_destroy(&w.lock);
    if (w.code)
        *m->e = w.error;
    return w.code;
}
