/* job.c -- what a client asked for and has no answer to yet: a thread for each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "connection.h"

#include "clock.h"
#include "early.h"
#include "reply.h"
#include "waking.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* -- for the holder of the lock ---------------------------------------------------------------- */

static struct serve_job *job_with_id(struct connection *c, uint64_t id) {
    struct serve_job *job = c->jobs;
    while (job && job->id != id)
        job = job->next;
    return job;
}

static struct served_workspace *workspace_numbered(struct connection *c, uint64_t number) {
    for (size_t i = 0; i < SERVE_MOST_WORKSPACES; i++)
        if (c->workspaces[i].taken && c->workspaces[i].number == number)
            return &c->workspaces[i];
    return NULL;
}

static struct served_workspace *free_workspace(struct connection *c) {
    for (size_t i = 0; i < SERVE_MOST_WORKSPACES; i++)
        if (!c->workspaces[i].taken)
            return &c->workspaces[i];
    return NULL;
}

static void wake_job(const struct serve_job *job) {
    if (job->wake >= 0)
        wake_poller(job->wake);
}

static void cancel_job(struct serve_job *job) {
    __atomic_store_n(&job->cancelled, 1, __ATOMIC_SEQ_CST);
    wake_job(job);
    pthread_cond_broadcast(&job->of->changed);
}

/* Why JOB is not begun: a name, and its words; NULL if it is. */
static const char *refusal_of(struct connection *c, const struct frame_head *head, size_t bytes,
                              struct served_workspace **place, const char **words) {
    const bool has_place =
        head->kind != FRAME_VERSION && head->kind != FRAME_CATALOGUE && head->kind != FRAME_RUN;
    *place = has_place ? workspace_numbered(c, head->argument) : NULL;
    if (head->id == 0 || job_with_id(c, head->id))
        return *words = "The id is 0, or that of what has no answer yet", "id-in-use";
    if (c->leaving)
        return *words = "Nothing is begun after bye", "leaving";
    if (c->job_count >= SERVE_MOST_JOBS || bytes > SERVE_MOST_BYTES - c->request_bytes)
        return *words = "Too much is under way: ask again when something is answered", "busy";
    if (head->kind == FRAME_OPEN && *place)
        return *words = "There is a workspace of that number: close it first", "workspace-in-use";
    if (head->kind == FRAME_OPEN && !(*place = free_workspace(c)))
        return *words = "Too many workspaces are open: close one first", "too-many-workspaces";
    if (head->kind == FRAME_RUN && head->argument > bytes)
        return *words = "There are fewer bytes than names were said to have", "bad-run";
    if (has_place && !*place)
        return *words = "No workspace of that number is open", "unknown-workspace";
    if (has_place && (*place)->closing)
        return *words = "That workspace is being closed", "unknown-workspace";
    return NULL;
}

static void enlist_job(struct serve_job *job, const struct frame_head *head) {
    struct connection *c = job->of;
    struct serve_job **end = &c->jobs;
    while (*end)
        end = &(*end)->next;
    *end = job;
    c->job_count++;
    c->threads++;
    c->request_bytes += job->request.len;
    if (head->kind == FRAME_OPEN)
        *job->place =
            (struct served_workspace){.number = head->argument, .taken = true, .opening = true};
    else if (job->place)
        job->place->jobs++;
    if (head->kind != FRAME_CLOSE)
        return;
    job->place->closing = true;
    for (struct serve_job *other = c->jobs; other; other = other->next)
        if (other != job && other->place == job->place)
            cancel_job(other);
}

/* -- a job's thread ---------------------------------------------------------------------------- */

static int emit_item(void *data, const char *datum, size_t n) {
    return send_piecewise(data, FRAME_ITEM, datum, n) ? 0 : 1;
}

static aqfs_reply *open_served(struct serve_job *job) {
    struct connection *c = job->of;
    aqfs_workspace *ws = NULL;
    struct error e;
    aqfs_reply *reply = predecessor_await(c, &job->cancelled, &e) != AQFS_OK
                            ? reply_from_error(c->format, &e, NULL, 0)
                            : aqfs_open(job->request.len ? job->request.data : "", job->request.len,
                                        c->format, &ws);
    pthread_mutex_lock(&c->lock);
    job->place->ws = ws;
    job->place->opening = false;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return reply;
}

/* The workspace of JOB, when it is there; NULL if it could not be opened. */
static aqfs_workspace *await_workspace(struct serve_job *job) {
    struct connection *c = job->of;
    pthread_mutex_lock(&c->lock);
    while (job->place->opening)
        pthread_cond_wait(&c->changed, &c->lock);
    aqfs_workspace *ws = job->place->ws;
    pthread_mutex_unlock(&c->lock);
    return ws;
}

static aqfs_reply *call_served(struct serve_job *job, aqfs_workspace *ws) {
    const aqfs_context context = {.format = job->of->format,
                                  .cancelled = &job->cancelled,
                                  .emit = job->kind == FRAME_STREAM ? emit_item : NULL,
                                  .data = job};
    struct reply_listener early = {.take = send_early, .data = job, .block = EARLY_BYTES};
    await_little_unsent(job);
    return door_call(ws, job->request.len ? job->request.data : "", job->request.len, &context,
                     job->kind == FRAME_CALL ? &early : NULL);
}

/* Waits until the job that closes the workspace is the only one that uses it. */
static void close_served(struct serve_job *job, aqfs_workspace *ws) {
    struct connection *c = job->of;
    aqfs_close(ws);
    pthread_mutex_lock(&c->lock);
    while (job->place->jobs > 1)
        pthread_cond_wait(&c->changed, &c->lock);
    pthread_mutex_unlock(&c->lock);
    aqfs_free(ws);
}

/* The reply of JOB; NULL for none.  *OPENED tells whether its workspace was there. */
static aqfs_reply *do_job(struct serve_job *job, bool *opened) {
    aqfs_workspace *ws = NULL;
    *opened = true;
    if (job->kind == FRAME_RUN) {
        job->refusal = runner_job_run(job);
        return NULL;
    }
    if (job->kind == FRAME_VERSION)
        return aqfs_version(job->of->format);
    if (job->kind == FRAME_CATALOGUE)
        return aqfs_catalogue(job->of->format);
    if (job->kind == FRAME_OPEN)
        return open_served(job);
    *opened = (ws = await_workspace(job)) != NULL;
    if (*opened && job->kind == FRAME_RESET)
        return aqfs_reset(ws, job->of->format);
    if (*opened && job->kind == FRAME_CLOSE)
        close_served(job, ws);
    return *opened && job->kind != FRAME_CLOSE ? call_served(job, ws) : NULL;
}

/* For the holder of the lock: JOB uses its workspace no more.  One that was closed, or could not be
 * opened, gives its number back when nobody uses it. */
static void leave_workspace_of(struct serve_job *job) {
    struct served_workspace *place = job->place;
    if (!place)
        return;
    place->jobs -= job->kind != FRAME_OPEN;
    if (job->kind == FRAME_CLOSE)
        place->ws = NULL;
    if (!place->opening && !place->ws && place->jobs == 0)
        *place = (struct served_workspace){0};
}

/* Is told before the answer is sent: the client may ask at once for what has become free. */
static void note_done(struct serve_job *job) {
    struct connection *c = job->of;
    pthread_mutex_lock(&c->lock);
    leave_workspace_of(job);
    c->request_bytes -= job->request.len;
    buf_free(&job->request);
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

/* Sends REPLY, or the rest of it; false if nobody will read it. */
static bool send_reply(struct serve_job *job, const aqfs_reply *reply) {
    size_t n = 0;
    const char *text = reply ? aqfs_reply_text(reply, &n) : "";
    if (job->sent_early > 0 && aqfs_reply_error(reply) && !send_void(job))
        return false;
    return send_piecewise(job, FRAME_REPLY, text + job->sent_early, n - job->sent_early);
}

static void answer_job(struct serve_job *job, aqfs_reply *reply, bool opened) {
    struct connection *c = job->of;
    if (!opened)
        refuse_job(job, "unknown-workspace", "The workspace could not be opened");
    else if (job->refusal)
        refuse_job(job, "not-run", job->refusal);
    else if (!reply && job->kind != FRAME_CLOSE && job->kind != FRAME_RUN)
        refuse_job(job, "no-memory", "There is no memory for an answer");
    else if (!send_reply(job, reply)) {
        pthread_mutex_lock(&c->lock);
        free_job(job);
        pthread_mutex_unlock(&c->lock);
    }
}

static void *job_run(void *data) {
    struct serve_job *job = data;
    struct connection *c = job->of;
    bool opened;
    aqfs_reply *reply = do_job(job, &opened);
    note_done(job);
    answer_job(job, reply, opened); /* from now on, the writer may give the job back */
    aqfs_reply_free(reply);
    pthread_mutex_lock(&c->lock);
    c->threads--;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* -- for the thread that reads ----------------------------------------------------------------- */

static bool start_job_thread(struct serve_job *job) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int problem = pthread_create(&thread, &attributes, job_run, job);
    pthread_attr_destroy(&attributes);
    return problem == 0;
}

/* Nothing runs for JOB: whoever waits for its workspace learns that it is not there. */
static void abandon_job(struct serve_job *job) {
    struct connection *c = job->of;
    pthread_mutex_lock(&c->lock);
    c->threads--;
    if (job->kind == FRAME_OPEN)
        job->place->opening = false;
    if (job->kind == FRAME_CLOSE)
        job->place->closing = false;
    pthread_mutex_unlock(&c->lock);
    const enum frame_kind kind = job->kind;
    job->kind = kind == FRAME_CLOSE ? FRAME_RESET : kind; /* its workspace stays */
    note_done(job);
    refuse_job(job, "busy", "No thread can be had for this: ask again later");
}

void job_begin_of(struct connection *c, const struct frame_head *head, struct buf *payload) {
    const char *words = NULL, *refusal = NULL;
    struct served_workspace *place = NULL;
    struct serve_job *job = calloc(1, sizeof *job);
    pthread_mutex_lock(&c->lock);
    if (!job)
        refusal = "no-memory", words = "There is no memory for this";
    else
        refusal = refusal_of(c, head, payload->len, &place, &words);
    if (!refusal) {
        *job = (struct serve_job){.of = c,
                                  .kind = head->kind,
                                  .id = head->id,
                                  .place = place,
                                  .request = *payload,
                                  .names = head->argument,
                                  .wake = -1,
                                  .window = c->window};
        *payload = (struct buf){0};
        enlist_job(job, head);
    }
    pthread_mutex_unlock(&c->lock);
    if (refusal) {
        free(job);
        send_fault(c, head->id, refusal, words);
    } else if (!start_job_thread(job)) {
        abandon_job(job);
    }
}

void job_cancel_of(struct connection *c, uint64_t id) {
    pthread_mutex_lock(&c->lock);
    struct serve_job *job = job_with_id(c, id);
    if (job)
        cancel_job(job);
    pthread_mutex_unlock(&c->lock);
}

void job_input_of(struct connection *c, uint64_t id, bool ask, const struct buf *payload) {
    pthread_mutex_lock(&c->lock);
    struct serve_job *job = job_with_id(c, id);
    if (job && job->kind == FRAME_RUN && !job->input_ended) {
        job->asked_to_end = job->asked_to_end || ask;
        job->input_ended = !ask && payload->len == 0;
        if (payload->len > 0)
            buf_add(&job->input, payload->data, payload->len);
        if (job->input.failed || job->input.len > INPUT_MOST)
            cancel_job(job);
        wake_job(job);
    }
    pthread_mutex_unlock(&c->lock);
}

void job_widen(struct connection *c, uint64_t id, uint64_t bytes) {
    pthread_mutex_lock(&c->lock);
    struct serve_job *job = job_with_id(c, id);
    if (job) {
        job->window += bytes < SIZE_MAX / 2 - job->window ? bytes : 0;
        pthread_cond_broadcast(&c->changed);
    }
    pthread_mutex_unlock(&c->lock);
}

bool jobs_end(struct connection *c, bool patient, int seconds) {
    const struct timespec until = clock_end_of_wait(seconds * NS_PER_S);
    int late = 0;
    pthread_mutex_lock(&c->lock);
    for (struct serve_job *job = c->jobs; job && !patient; job = job->next)
        cancel_job(job);
    while (c->threads > 0 && !late)
        late = pthread_cond_timedwait(&c->changed, &c->lock, &until);
    pthread_mutex_unlock(&c->lock);
    return !late;
}
