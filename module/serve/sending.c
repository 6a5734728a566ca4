/* sending.c -- what is sent, and in which order: urgent frames, then a piece of each answer in
 * turn.
 *
 * SPDX-License-Identifier: MIT
 */
#include "connection.h"

#include "clock.h"
#include "own_file.h"
#include "reply.h"
#include "waking.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BYTES_AT_ONCE ((size_t)64 << 10) /* as a pipe holds */

static bool job_is_cancelled(const struct serve_job *job) {
    return __atomic_load_n(&job->cancelled, __ATOMIC_SEQ_CST) != 0;
}

/* -- what waits -------------------------------------------------------------------------------- */

void send_urgent(struct connection *c, enum frame_kind kind, uint64_t id, const char *payload,
                 size_t n) {
    pthread_mutex_lock(&c->lock);
    frame_print(&c->urgent, kind, id, 0, payload, n);
    c->broken = c->broken || c->urgent.failed;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

static void put_fault(struct connection *c, uint64_t id, const char *name, const char *message) {
    struct reply r = {.format = AQFS_JSON};
    reply_map(&r);
    reply_kv_cstring(&r, KEY_ERROR, name);
    reply_kv_cstring(&r, KEY_MESSAGE, message);
    reply_end_map(&r);
    frame_print(&c->urgent, FRAME_ERROR, id, 0, r.out.data, r.out.len);
    c->broken = c->broken || r.out.failed || c->urgent.failed;
    buf_free(&r.out);
    pthread_cond_broadcast(&c->changed);
}

void send_fault(struct connection *c, uint64_t id, const char *name, const char *message) {
    pthread_mutex_lock(&c->lock);
    put_fault(c, id, name, message);
    pthread_mutex_unlock(&c->lock);
}

static void append_unsent(struct serve_job *job, struct unsent *message) {
    struct unsent **end = &job->unsent;
    while (*end)
        end = &(*end)->next;
    *end = message;
    job->unsent_bytes += message->bytes.len;
    job->of->unsent_bytes += message->bytes.len;
    pthread_cond_broadcast(&job->of->changed);
}

bool send_piecewise(struct serve_job *job, enum frame_kind kind, const char *bytes, size_t n) {
    struct connection *c = job->of;
    struct unsent *message = calloc(1, sizeof *message);
    if (message) {
        message->kind = kind;
        buf_add(&message->bytes, bytes, n);
    }
    pthread_mutex_lock(&c->lock);
    while (kind == FRAME_ITEM && job->unsent_bytes > UNSENT_OF_JOB && !c->broken &&
           !job_is_cancelled(job))
        pthread_cond_wait(&c->changed, &c->lock);
    /* Without memory for an answer, the client must not wait for it for ever. */
    c->broken = c->broken || !message || message->bytes.failed;
    bool wanted = !c->broken && (kind == FRAME_REPLY || !job_is_cancelled(job));
    if (wanted)
        append_unsent(job, message);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    if (!wanted && message)
        buf_free(&message->bytes);
    if (!wanted)
        free(message);
    return wanted;
}

void await_little_unsent(struct serve_job *job) {
    struct connection *c = job->of;
    pthread_mutex_lock(&c->lock);
    while (c->unsent_bytes > UNSENT_OF_ALL && !c->broken && !job_is_cancelled(job))
        pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

/* -- the next frame, for the holder of the lock ------------------------------------------------ */

static bool has_its_turn(const struct serve_job *job) {
    return job->unsent && (job->window > 0 || job->unsent->bytes.len == 0 || job_is_cancelled(job));
}

/* The first job that may send goes behind the others. */
static struct serve_job *next_sender(struct connection *c) {
    struct serve_job **at = &c->jobs;
    while (*at && !has_its_turn(*at))
        at = &(*at)->next;
    struct serve_job *job = *at, **end = at;
    if (!job)
        return NULL;
    *at = job->next;
    while (*end)
        end = &(*end)->next;
    *end = job;
    job->next = NULL;
    return job;
}

static void drop_unsent(struct serve_job *job) {
    struct unsent *message = job->unsent;
    size_t rest = message->bytes.len - message->at;
    job->unsent = message->next;
    job->unsent_bytes -= rest;
    job->of->unsent_bytes -= rest;
    buf_free(&message->bytes);
    free(message);
}

/* Says bye when the client has, and nothing is under way. */
static void put_bye(struct connection *c) {
    if (!c->leaving || c->said_bye || c->job_count > 0)
        return;
    frame_print(&c->urgent, FRAME_BYE, 0, 0, NULL, 0);
    c->said_bye = true;
    pthread_cond_broadcast(&c->changed);
}

void send_bye(struct connection *c) {
    pthread_mutex_lock(&c->lock);
    c->leaving = true;
    put_bye(c);
    pthread_mutex_unlock(&c->lock);
}

void free_job(struct serve_job *job) {
    struct connection *c = job->of;
    struct serve_job **at = &c->jobs;
    while (*at != job)
        at = &(*at)->next;
    *at = job->next;
    while (job->unsent)
        drop_unsent(job);
    c->job_count--;
    c->request_bytes -= job->request.len;
    buf_free(&job->request);
    buf_free(&job->input);
    free(job);
    put_bye(c);
}

void refuse_job(struct serve_job *job, const char *name, const char *words) {
    struct connection *c = job->of;
    pthread_mutex_lock(&c->lock);
    put_fault(c, job->id, name, words);
    free_job(job);
    pthread_mutex_unlock(&c->lock);
}

/* Prints the next piece of JOB; after the last of a reply, JOB is no more. */
static void print_piece(struct serve_job *job, struct buf *out) {
    struct connection *c = job->of;
    struct unsent *message = job->unsent;
    const bool limited = !job_is_cancelled(job);
    const size_t most =
        limited && job->window < SERVE_PIECE_BYTES ? (size_t)job->window : SERVE_PIECE_BYTES;
    size_t n = message->bytes.len - message->at;
    n = n < most ? n : most;
    const bool last = message->at + n == message->bytes.len;
    frame_print(out, message->kind, job->id, last, n ? message->bytes.data + message->at : NULL, n);
    message->at += n;
    job->unsent_bytes -= n;
    c->unsent_bytes -= n;
    job->window -= limited ? n : 0;
    const bool ends = last && message->kind == FRAME_REPLY;
    if (last)
        drop_unsent(job);
    if (ends)
        free_job(job);
    pthread_cond_broadcast(&c->changed);
}

/* Waits for something to send; false when there will be nothing more. */
static bool take_frames(struct connection *c, struct buf *out) {
    struct serve_job *job = NULL;
    pthread_mutex_lock(&c->lock);
    while (!c->broken && c->urgent.len == 0 && !(job = next_sender(c)) && !c->closed &&
           !c->said_bye)
        pthread_cond_wait(&c->changed, &c->lock);
    bool more = !c->broken && (c->urgent.len > 0 || job);
    if (more && c->urgent.len > 0) {
        *out = c->urgent;
        c->urgent = (struct buf){0};
    } else if (more) {
        do
            print_piece(job, out);
        while (out->len < BYTES_AT_ONCE && (job = next_sender(c)) != NULL);
    }
    pthread_mutex_unlock(&c->lock);
    return more;
}

/* -- the thread -------------------------------------------------------------------------------- */

static void *write_frames(void *connection) {
    struct connection *c = connection;
    struct buf out = {0};
    bool broken = false;
    while (!broken && take_frames(c, &out)) {
        broken = out.failed || write_whole(c->out, out.data, out.len, WRITE_ON) != 0;
        buf_free(&out);
    }
    pthread_mutex_lock(&c->lock);
    c->broken = true;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    wake_poller(c->wake); /* the thread that reads must notice it, too */
    return NULL;
}

bool sending_begin(struct connection *c) {
    return pthread_create(&c->writer, NULL, write_frames, c) == 0;
}

bool sending_end(struct connection *c, int seconds) {
    const struct timespec until = clock_end_of_wait(seconds * NS_PER_S);
    int late = 0;
    pthread_mutex_lock(&c->lock);
    c->closed = true;
    pthread_cond_broadcast(&c->changed);
    while (!c->broken && !late)
        late = pthread_cond_timedwait(&c->changed, &c->lock, &until);
    pthread_mutex_unlock(&c->lock);
    if (!late)
        (void)pthread_join(c->writer, NULL);
    return !late;
}
