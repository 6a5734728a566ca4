/* sending.c -- what is sent, and in which order: urgent frames, then a piece of each answer in
 * turn.
 *
 * SPDX-License-Identifier: MIT
 */
#include "connection.h"

#include "clock.h"
#include "deflated.h"
#include "own_file.h"
#include "reply.h"
#include "waking.h"
#include "zip.h"

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

/* Waits while much of JOB is unsent, unless this is a reply.  False if nobody will read it. */
static bool await_turn(struct serve_job *job, enum frame_kind kind) {
    struct connection *c = job->of;
    pthread_mutex_lock(&c->lock);
    while (kind == FRAME_ITEM && job->unsent_bytes > UNSENT_OF_JOB && !c->broken &&
           !job_is_cancelled(job))
        pthread_cond_wait(&c->changed, &c->lock);
    const bool wanted = !c->broken && (kind == FRAME_REPLY || !job_is_cancelled(job));
    pthread_mutex_unlock(&c->lock);
    return wanted;
}

/* Puts PART to what waits of JOB, with its bytes.  Behind the last part of a reply, JOB may be no
 * more.  False if nobody will read it. */
static bool put_part(struct serve_job *job, struct unsent part) {
    struct connection *c = job->of;
    struct unsent *put = calloc(1, sizeof *put);
    pthread_mutex_lock(&c->lock);
    /* Without memory for an answer, the client must not wait for it for ever. */
    c->broken = c->broken || !put || part.bytes.failed;
    const bool wanted = !c->broken;
    if (wanted) {
        *put = part;
        append_unsent(job, put);
    }
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    if (!wanted) {
        buf_free(&part.bytes);
        free(put);
    }
    return wanted;
}

static bool put_bytes(struct serve_job *job, struct unsent part, const char *bytes, size_t n) {
    buf_add(&part.bytes, bytes, n);
    return put_part(job, part);
}

void send_early(void *data, const char *block, size_t n) {
    struct serve_job *job = data;
    job->sent_early += n;
    const struct unsent part = {.kind = FRAME_REPLY, .deflates = job->of->deflates};
    (void)put_bytes(job, part, block, n);
}

bool send_void(struct serve_job *job) {
    job->sent_early = 0;
    return put_part(job, (struct unsent){.kind = FRAME_REPLY, .end = PIECE_VOID});
}

bool send_piecewise(struct serve_job *job, enum frame_kind kind, const char *bytes, size_t n) {
    if (!await_turn(job, kind))
        return false;
    struct unsent part = {.kind = kind};
    /* A datum that fits a frame is sent as it is. */
    part.deflates = job->of->deflates && (n > SERVE_PIECE_BYTES || job->sent_early > 0);
    const size_t most = part.deflates ? DEFLATED_BLOCK : n;
    bool put = true;
    for (; put && n > most; bytes += most, n -= most)
        put = put_bytes(job, part, bytes, most);
    part.end = PIECE_ENDS;
    return put && put_bytes(job, part, bytes, n);
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
    while (job->deflating) /* the writer reads from it */
        pthread_cond_wait(&c->changed, &c->lock);
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

static void replace_bytes(struct serve_job *job, struct unsent *part, struct buf *bytes) {
    job->unsent_bytes += bytes->len - part->bytes.len;
    job->of->unsent_bytes += bytes->len - part->bytes.len;
    buf_free(&part->bytes);
    part->bytes = *bytes;
    *bytes = (struct buf){0};
}

/* Deflates the first part of JOB if it is to be.  The lock is not held meanwhile, so the others
 * work.  If the first part of a datum is no smaller for it, the datum is sent as it is. */
static void deflate_part(struct serve_job *job) {
    struct connection *c = job->of;
    struct unsent *part = job->unsent;
    struct buf small = {0};
    if (!part->deflates || job->datum == DATUM_PLAIN)
        return;
    part->deflates = false;
    job->deflating = true;
    pthread_mutex_unlock(&c->lock);
    zip_add_raw(c->zip, part->bytes.data, part->bytes.len, &small);
    pthread_mutex_lock(&c->lock);
    job->deflating = false;
    pthread_cond_broadcast(&c->changed);
    const bool pays = !small.failed && small.len <= part->bytes.len / 4 * 3;
    if (job->datum == DATUM_BEGINS)
        job->datum = pays ? DATUM_DEFLATED : DATUM_PLAIN;
    c->broken = c->broken || (small.failed && job->datum == DATUM_DEFLATED);
    if (job->datum == DATUM_DEFLATED && !c->broken)
        replace_bytes(job, part, &small);
    buf_free(&small);
}

/* How the datum ends of which PART, of JOB, is the last one. */
static enum piece_end end_of_datum(const struct serve_job *job, const struct unsent *part) {
    return part->end == PIECE_ENDS && job->datum == DATUM_DEFLATED ? PIECE_ENDS_DEFLATED
                                                                   : part->end;
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
    const enum piece_end end = last ? end_of_datum(job, message) : PIECE_GOES_ON;
    frame_print(out, message->kind, job->id, end, n ? message->bytes.data + message->at : NULL, n);
    message->at += n;
    job->unsent_bytes -= n;
    c->unsent_bytes -= n;
    job->window -= limited ? n : 0;
    const bool ends = piece_is_last(end) && message->kind == FRAME_REPLY;
    if (end != PIECE_GOES_ON)
        job->datum = DATUM_BEGINS;
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
        do {
            deflate_part(job);
            print_piece(job, out);
        } while (out->len < BYTES_AT_ONCE && (job = next_sender(c)) != NULL);
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
    c->zip = zip_new();
    return c->zip && pthread_create(&c->writer, NULL, write_frames, c) == 0;
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
    if (!late) {
        (void)pthread_join(c->writer, NULL);
        zip_free(c->zip);
        c->zip = NULL;
    }
    return !late;
}
