/* emacs_job.h -- calls that run on threads of their own, and the ownership of their workspaces.
 *
 * Nothing here touches the env: only Emacs' own thread may.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_EMACS_JOB_H
#define AQFS_EMACS_JOB_H

#include "dispatch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* A workspace as Lisp holds it.  Lisp has one reference and each job another: the garbage collector
 * may find the workspace and its jobs in any order. */
struct door {
    aqfs_workspace *ws;
    /* For emacs_job.c only. */
    atomic_int references;
    pthread_mutex_t lock; /* guards the list of jobs */
    struct job *jobs;
};

/* Takes WS over.  Without memory it frees WS and returns NULL. */
struct door *door_new(aqfs_workspace *ws);
/* Gives one reference back; the last one frees the workspace. */
void door_unref(struct door *door);
/* Cancels the workspace's jobs and closes it.  May be repeated. */
void door_close(struct door *door);

/* Runs REQUEST on another thread, so that Emacs reacts to input: meanwhile this thread calls
 * PAUSE(DATA) every few milliseconds, and cancels the call when PAUSE returns false.  Returns when
 * the thread has ended.  If no thread can be had, runs the call here, without pauses. */
aqfs_reply *job_run_watched(aqfs_workspace *ws, const json_t *request, bool (*pause)(void *data),
                            void *data);

/* A call that writes frames to a descriptor while it runs:
 *
 *     +LENGTH newline DATUM     emitted results: (:items (...)) or (:progress N)
 *     .LENGTH newline DATUM     the reply, the last frame
 *
 * LENGTH is in decimal and counts bytes.  The job ends early when it is cancelled, when its
 * workspace is closed, and when the other end of the descriptor is closed. */
struct job;

/* The frames before the reply.  The reply holds all results, unless they are streamed. */
enum job_frames { JOB_REPLY_ALONE, JOB_PROGRESS, JOB_STREAM };

/* Starts a job.  Takes REQUEST and FD over, also on failure; FD must not block.  Returns a
 * reference, to be given to job_abandon; NULL and E when there is no memory or no thread. */
struct job *job_start(struct door *door, json_t *request, int fd, enum job_frames frames,
                      struct error *e);
/* Asks the job to end soon; it still writes its reply. */
void job_cancel(struct job *job);
/* Cancels the job and its reply too, and gives the caller's reference back. */
void job_abandon(struct job *job);

#endif
