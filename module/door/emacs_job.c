/* emacs_job.c -- calls that run on threads of their own, and the ownership of their workspaces.
 *
 * A slow call runs in one of two ways.  job_run_watched is for Lisp that waits: the
 * call runs beside Emacs' thread, which looks at input until the call has ended.
 * job_start is for Lisp that does not wait: the thread writes frames to a pipe
 * process, whose filter reads them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emacs_job.h"

#include "cleanup.h"
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#define SLICE_NS 5000000 /* between two looks at Emacs' input */
#define NICENESS 10
#define FULL_PIPE_MS 20 /* between two looks at the stop flag while the pipe is full */

struct job {
    struct door *door;
    json_t *request;
    int fd;
    enum job_frames frames;
    int32_t cancelled;        /* no more results are wanted; set atomically */
    int32_t abandoned;        /* the reply is not wanted either; set atomically */
    atomic_int references;    /* Lisp's and the thread's */
    struct job *next, **link; /* in the door's list, while the thread runs */
    struct buf frame;
    sem_t begun; /* posted by the thread when Emacs may go on: see keep_file_modes */
};

/* The flags are plain integers because aqfs_context, a public type, points to such a flag. */
static void flag_set(int32_t *flag) {
    __atomic_store_n(flag, 1, __ATOMIC_SEQ_CST);
}

static bool flag_is_set(const int32_t *flag) {
    return __atomic_load_n(flag, __ATOMIC_SEQ_CST) != 0;
}

/* Starts a thread that, like all threads that it starts, takes no signals: Emacs' handlers expect
 * Emacs' own threads.  A write to a pipe that was closed then fails with EPIPE, and raises no
 * SIGPIPE in Emacs. */
static bool thread_start(pthread_t *thread, void *(*body)(void *), void *data) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int problem = pthread_create(thread, NULL, body, data);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return problem == 0;
}

struct door *door_new(aqfs_workspace *ws) {
    struct door *door = calloc(1, sizeof *door);
    if (!door) {
        aqfs_free(ws);
        return NULL;
    }
    door->ws = ws;
    atomic_init(&door->references, 1);
    pthread_mutex_init(&door->lock, NULL);
    return door;
}

void door_unref(struct door *door) {
    if (atomic_fetch_sub(&door->references, 1) > 1)
        return;
    aqfs_free(door->ws);
    pthread_mutex_destroy(&door->lock);
    free(door);
}

void door_close(struct door *door) {
    pthread_mutex_lock(&door->lock);
    for (struct job *job = door->jobs; job; job = job->next)
        flag_set(&job->cancelled);
    pthread_mutex_unlock(&door->lock);
    aqfs_close(door->ws);
}

struct watched {
    aqfs_workspace *ws;
    const json_t *request;
    aqfs_reply *reply;
    int32_t cancelled; /* atomic */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done; /* guarded by lock */
};

static void *watched_body(void *data) {
    struct watched *w = data;
    aqfs_context context = {.format = AQFS_SEXP, .cancelled = &w->cancelled};
    w->reply = call_run(w->ws, w->request, &context, NULL, TEXT_APART);
    pthread_mutex_lock(&w->lock);
    w->done = true;
    pthread_cond_signal(&w->changed);
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

/* Waits for the end of the call, at most SLICE_NS.  True when it has ended. */
static bool watched_wait(struct watched *w) {
    int64_t until = clock_now_ns() + SLICE_NS;
    struct timespec t = {.tv_sec = until / 1000000000, .tv_nsec = until % 1000000000};
    pthread_mutex_lock(&w->lock);
    int problem = 0;
    while (!w->done && !problem)
        problem = pthread_cond_timedwait(&w->changed, &w->lock, &t);
    bool done = w->done;
    pthread_mutex_unlock(&w->lock);
    return done;
}

/* The clock of the condition is the one that is never set: setting the machine's time must not make
 * a slice of time endless. */
static void watched_init(struct watched *w) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&w->changed, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&w->lock, NULL);
}

aqfs_reply *job_run_watched(aqfs_workspace *ws, const json_t *request, bool (*pause)(void *data),
                            void *data) {
    struct watched w = {.ws = ws, .request = request};
    pthread_t thread;
    watched_init(&w);
    if (thread_start(&thread, watched_body, &w)) {
        while (!watched_wait(&w))
            if (!pause(data)) {
                flag_set(&w.cancelled);
                break;
            }
        pthread_join(thread, NULL);
    } else {
        watched_body(&w); /* works without a thread too, but C-g cannot stop it */
    }
    pthread_cond_destroy(&w.changed);
    pthread_mutex_destroy(&w.lock);
    return w.reply;
}

static void job_unref(struct job *job) {
    if (atomic_fetch_sub(&job->references, 1) > 1)
        return;
    door_unref(job->door);
    (void)sem_destroy(&job->begun);
    free(job);
}

static void job_enlist(struct job *job) {
    struct door *door = job->door;
    pthread_mutex_lock(&door->lock);
    job->next = door->jobs;
    job->link = &door->jobs;
    if (job->next)
        job->next->link = &job->next;
    door->jobs = job;
    pthread_mutex_unlock(&door->lock);
}

static void job_delist(struct job *job) {
    pthread_mutex_lock(&job->door->lock);
    *job->link = job->next;
    if (job->next)
        job->next->link = job->link;
    pthread_mutex_unlock(&job->door->lock);
}

/* Writes all N bytes; false when STOP is set or the other end is closed.  A full pipe makes the
 * call wait for its reader: frames that pile up in memory instead would have no bound. */
static bool job_write(struct job *job, const char *bytes, size_t n, const int32_t *stop) {
    while (n > 0) {
        if (flag_is_set(stop))
            return false;
        ssize_t k = write(job->fd, bytes, n);
        if (k >= 0) {
            bytes += k;
            n -= (size_t)k;
        } else if (errno == EAGAIN) {
            struct pollfd p = {.fd = job->fd, .events = POLLOUT};
            (void)poll(&p, 1, FULL_PIPE_MS);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

static bool job_send(struct job *job, char kind, const char *datum, size_t n, const int32_t *stop) {
    buf_clear(&job->frame);
    buf_printf(&job->frame, "%c%zu\n", kind, n);
    buf_add(&job->frame, datum, n);
    return !job->frame.failed && job_write(job, job->frame.data, job->frame.len, stop);
}

static int job_emit(void *data, const char *datum, size_t n) {
    struct job *job = data;
    return job_send(job, '+', datum, n, &job->cancelled) ? 0 : 1;
}

static void job_reply(struct job *job, const aqfs_reply *reply) {
    size_t n = 0;
    const char *text = reply ? aqfs_reply_text(reply, &n) : "";
    (void)job_send(job, '.', text, n, &job->abandoned);
}

/* Lets Emacs' own thread go first where there are too few processors for both: a caller that does
 * not wait wants a lively Emacs.  On Linux each thread has its own niceness, and the threads that
 * it starts inherit it. */
static void be_nice(void) {
    (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICENESS);
}

/* Gives the thread a file mode creation mask of its own, then lets Emacs go on.  Emacs changes the
 * mask of the whole process for a moment whenever it writes something private; files that the call
 * makes in that moment would be private too, and its directories could not be entered.  Emacs'
 * thread waits until the mask is copied, so that the copy is not the private one.  If unshare is
 * forbidden, the thread shares Emacs' mask after all. */
static void keep_file_modes(struct job *job) {
    (void)unshare(CLONE_FS);
    (void)sem_post(&job->begun);
}

static void await_file_modes(struct job *job) {
    int problem;
    do {
        problem = sem_wait(&job->begun);
    } while (problem && errno == EINTR);
}

/* Gives back all that the job's thread uses, and the thread's reference. */
static void job_end(struct job *job) {
    json_decref(job->request);
    buf_free(&job->frame);
    (void)close(job->fd);
    job_delist(job);
    job_unref(job);
}

static void *job_body(void *data) {
    struct job *job = data;
    keep_file_modes(job);
    be_nice();
    aqfs_context context = {.format = AQFS_SEXP,
                            .cancelled = &job->cancelled,
                            .emit = job->frames == JOB_REPLY_ALONE ? NULL : job_emit,
                            .data = job};
    aqfs_reply *reply =
        call_run(job->door->ws, job->request, &context, NULL,
                 job->frames == JOB_PROGRESS ? TEXT_INSIDE_RESULTS_INSIDE : TEXT_INSIDE);
    job_reply(job, reply);
    aqfs_reply_free(reply);
    job_end(job);
    return NULL;
}

struct job *job_start(struct door *door, json_t *request, int fd, enum job_frames frames,
                      struct error *e) {
    struct job *job = calloc(1, sizeof *job);
    if (!job) {
        (void)close(fd);
        json_decref(request);
        fail_memory(e);
        return NULL;
    }
    *job = (struct job){.door = door, .request = request, .fd = fd, .frames = frames};
    atomic_init(&job->references, 2);
    (void)sem_init(&job->begun, 0, 0);
    atomic_fetch_add(&door->references, 1);
    job_enlist(job);
    pthread_t thread;
    if (thread_start(&thread, job_body, job)) {
        pthread_detach(thread);
        await_file_modes(job);
        return job;
    }
    job_end(job);   /* instead of the thread */
    job_unref(job); /* instead of the caller */
    fail(e, AQFS_IO, "No thread can be had for the call");
    return NULL;
}

void job_cancel(struct job *job) {
    flag_set(&job->cancelled);
}

void job_abandon(struct job *job) {
    flag_set(&job->cancelled);
    flag_set(&job->abandoned);
    job_unref(job);
}
