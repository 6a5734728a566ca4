/* connection.h -- a connection at work: its workspaces, its jobs, and what waits to be sent.
 *
 * One thread reads frames and never waits for anything else (serve.c).  Work that takes time is a
 * job with a thread of its own (job.c).  One thread writes (sending.c).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CONNECTION_H
#define AQFS_CONNECTION_H

#include "aqfs.h"
#include "deflated.h"
#include "error.h"
#include "frame_reader.h"
#include "serve.h"
#include "zip.h"

#include <pthread.h>

#define CLIENT_DIGITS 32

/* An emit waits while so many bytes of its job are unsent; a job begins when all have fewer. */
#define UNSENT_OF_JOB ((size_t)256 << 10)
#define UNSENT_OF_ALL ((size_t)64 << 20)

/* A reply is sent by so many bytes while it is written. */
#define EARLY_BYTES DEFLATED_BLOCK

struct served_workspace {
    uint64_t number;
    aqfs_workspace *ws; /* NULL while it is being opened */
    bool taken, opening, closing;
    unsigned jobs; /* that use ws */
};

/* A datum or a reply, or a part of one, that is sent in pieces. */
struct unsent {
    struct unsent *next;
    enum frame_kind kind;
    enum piece_end end; /* of its last piece */
    bool deflates;      /* before it is sent, if that pays */
    struct buf bytes;
    size_t at;
};

/* How the datum is sent of which parts are sent now. */
enum datum_form { DATUM_BEGINS, DATUM_DEFLATED, DATUM_PLAIN };

struct serve_job {
    struct serve_job *next;
    struct connection *of;
    enum frame_kind kind;
    uint64_t id;
    struct served_workspace *place; /* of those that have one */
    struct buf request;
    size_t sent_early; /* bytes of the reply, sent before it was whole; of the job's thread */
    int32_t cancelled; /* written atomically */
    uint64_t window;   /* bytes that may be sent; guarded by the lock, as all below */
    struct unsent *unsent;
    size_t unsent_bytes;
    enum datum_form datum;
    bool deflating;      /* the writer reads from the first part, without the lock */
    struct buf input;    /* of a command: what its runner has not been sent yet */
    bool input_ended;    /* no more will come */
    bool asked_to_end;   /* and it was not told yet */
    uint64_t names;      /* how many bytes of the request are names of variables */
    const char *refusal; /* why it was not run, or NULL */
    int wake;            /* an eventfd for the thread of a command, or -1 */
    bool done;           /* its thread has ended, or will do nothing more */
};

struct connection {
    const struct serve_place *place;
    int out;
    int wake; /* an eventfd, or -1: nothing more is sent */
    int format;
    bool greeted;                   /* the client has said hello */
    bool deflates;                  /* what is long is sent deflated */
    char client[CLIENT_DIGITS + 1]; /* what it calls itself, or "" */
    uint64_t window;
    int keep_alive_ms; /* -1: for ever */
    struct frame_reader reader;
    bool told_fault; /* the client knows why nothing more is taken */
    pthread_t writer;
    struct zip *zip; /* the writer's */

    pthread_mutex_t client_lock; /* for what is in predecessor.c */
    int lock_fd;                 /* -1 until the client's lock is held */
    char *lock_path;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct serve_job *jobs; /* the one whose turn it is first; guarded by lock, as all below */
    struct served_workspace workspaces[SERVE_MOST_WORKSPACES];
    struct buf urgent; /* whole frames that go first */
    size_t threads, job_count, request_bytes, unsent_bytes;
    bool leaving;  /* the client has said bye */
    bool said_bye; /* so have we: nothing comes after it */
    bool closed;   /* no more is sent but what waits */
    bool broken;   /* nobody reads any more */
};

/* -- serve.c ----------------------------------------------------------------------------------- */

void connection_begin(struct connection *c, const struct serve_place *place, int out);
/* No thread of it runs any more. */
void connection_free(struct connection *c);

/* A frame_handler of the connection C. */
void connection_take(void *connection, const struct frame_head *head, struct buf *payload);

/* -- job.c ------------------------------------------------------------------------------------- */

/* Begins what HEAD asks for and takes over PAYLOAD, or says why not. */
void job_begin_of(struct connection *c, const struct frame_head *head, struct buf *payload);
void job_cancel_of(struct connection *c, uint64_t id);
void job_widen(struct connection *c, uint64_t id, uint64_t bytes);
/* Cancels all unless PATIENT, and waits SECONDS at most until their threads have ended; false if
 * some have not. */
bool jobs_end(struct connection *c, bool patient, int seconds);

/* More for the command ID: see `input` in serve.h. */
void job_input_of(struct connection *c, uint64_t id, bool ask, const struct buf *payload);

/* -- runner_job.c ------------------------------------------------------------------------------ */

/* The most bytes that wait for a runner. */
#define INPUT_MOST ((size_t)8 << 20)

/* Runs the command that JOB asks for to its end.  NULL, or why it cannot be run. */
const char *runner_job_run(struct serve_job *job);

/* -- predecessor.c ----------------------------------------------------------------------------- */

/* Waits until the server that this client had before has ended; AQFS_IO if it does not. */
int predecessor_await(struct connection *c, const int32_t *cancelled, struct error *e);
/* Nothing is done any more: lets the next one begin. */
void predecessor_leave(struct connection *c);

/* -- sending.c --------------------------------------------------------------------------------- */

/* False without a thread. */
bool sending_begin(struct connection *c);
/* Waits SECONDS at most until all is sent, and ends the thread; false if it hangs. */
bool sending_end(struct connection *c, int seconds);
/* Sends a frame before all that waits. */
void send_urgent(struct connection *c, enum frame_kind kind, uint64_t id, const char *payload,
                 size_t n);
/* Sends an error frame; with the id 0, it is the last one. */
void send_fault(struct connection *c, uint64_t id, const char *name, const char *message);
/* Puts N bytes to what waits of JOB, and waits while that is much, unless it is a reply.  False if
 * nobody will read it. */
bool send_piecewise(struct serve_job *job, enum frame_kind kind, const char *bytes, size_t n);
/* Puts a block of the reply of the job DATA, which is still written. */
void send_early(void *data, const char *block, size_t n);
/* Puts that what was sent early is void, because JOB has failed. */
bool send_void(struct serve_job *job);
/* Waits until little enough is unsent to begin JOB. */
void await_little_unsent(struct serve_job *job);
/* For the holder of the lock: gives back JOB, whose answer was sent. */
void free_job(struct serve_job *job);
/* Sends the error NAME in the place of an answer, and gives JOB back. */
void refuse_job(struct serve_job *job, const char *name, const char *words);
/* The client has said bye: begins nothing more, and when all is done says bye and ends. */
void send_bye(struct connection *c);

#endif
