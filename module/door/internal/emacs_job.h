/* emacs_job.h -- calls on threads of their own, and who owns what meanwhile.
 *
 * Nothing here touches the env: threads may not.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_EMACS_JOB_H
#define AQFS_EMACS_JOB_H

#include "dispatch.h"

#include <stdbool.h>

/* A workspace as Lisp holds it.  Lisp has one reference, each job another, so that the order in
 * which the garbage collector finds them does not matter. */
struct door;

/* Takes WS over; NULL, and WS freed, when there is no memory. */
struct door *door_new(aqfs_workspace *ws);
aqfs_workspace *door_workspace(const struct door *door);
void door_unref(struct door *door);
/* Cancels the workspace's jobs and closes it.  May be repeated. */
void door_close(struct door *door);

/* Runs REQUEST on another thread while this one calls PAUSE(DATA) every few milliseconds; once
 * that answers false the call is cancelled.  Returns when the thread has ended. */
aqfs_reply *job_run_watched(aqfs_workspace *ws, const json_t *request, bool (*pause)(void *data),
                            void *data);

/* A call that writes frames to a descriptor as results come:
 *
 *     +LENGTH newline DATUM     emitted on the way: (:items (...)) or (:progress N)
 *     .LENGTH newline DATUM     the reply, the last frame
 *
 * LENGTH is in decimal and counts bytes.  The job ends early when it is cancelled, when its
 * workspace is closed, and when nobody reads the descriptor any more. */
struct job;

/* Takes REQUEST and FD over in any case; FD does not block.  Without STREAM the reply is the only
 * frame, and has everything.  NULL and E when no thread can be had.  The caller has a reference,
 * to give to job_abandon. */
struct job *job_start(struct door *door, json_t *request, int fd, bool stream, struct error *e);
void job_cancel(struct job *job);
/* Gives the caller's reference back; nobody wants the reply any more. */
void job_abandon(struct job *job);

#endif
