/* flight.c -- the requests under way: queue, workers, cancellation, questions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "serving.h"

#include "clock.h"
#include "waking.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NS_TO_END (100 * NS_PER_MS) /* that a flight has after its answer */

/* -- the list ---------------------------------------------------------------------------------- */

static void set_state(struct server *s, struct flight *f, enum flight_state state) {
    s->counts[f->state]--;
    s->counts[state]++;
    f->state = state;
}

static void free_flight(struct flight *f) {
    message_free(&f->message);
    message_free(&f->answer);
    free(f);
}

/* Takes F off the list. */
static void drop_flight(struct server *s, struct flight *f) {
    struct flight **at = &s->flights;
    while (*at != f)
        at = &(*at)->next;
    *at = f->next;
    s->counts[f->state]--;
    s->bytes -= f->bytes;
}

static bool is_same_id(const json_t *a, const json_t *b) {
    return a && b && json_equal(a, b);
}

static struct flight *flight_of(struct server *s, const json_t *id) {
    struct flight *f = s->flights;
    while (f && !is_same_id(f->message.id, id))
        f = f->next;
    return f;
}

static struct flight *flight_sent(struct server *s, unsigned long number) {
    struct flight *f = s->flights;
    while (f && (f->state != FLIGHT_SENT || f->sent != number))
        f = f->next;
    return f;
}

static struct flight *flight_in(struct server *s, enum flight_state state) {
    struct flight *f = s->flights;
    while (f && f->state != state)
        f = f->next;
    return f;
}

/* -- for the thread that reads ----------------------------------------------------------------- */

void flight_begin(struct server *s, struct message *message, const struct speaker *by,
                  flight_server *serve, size_t bytes) {
    struct flight *f = calloc(1, sizeof *f);
    if (!f) {
        struct reply r;
        struct fault fault;
        fault_set(&fault, RPC_INTERNAL_ERROR, "There is no memory for this request");
        rpc_error(&r, message->id, &fault, NULL);
        server_send(s, &r);
        return;
    }
    *f = (struct flight){.message = *message, .by = *by, .serve = serve, .bytes = bytes};
    *message = (struct message){0};
    pthread_mutex_lock(&s->lock);
    struct flight **end = &s->flights;
    while (*end)
        end = &(*end)->next;
    *end = f;
    s->counts[FLIGHT_QUEUED]++;
    s->bytes += bytes;
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

void server_wake(struct server *s) {
    wake_poller(s->wake);
}

bool flights_have_room(struct server *s) {
    pthread_mutex_lock(&s->lock);
    bool room = s->counts[FLIGHT_QUEUED] + s->counts[FLIGHT_RUNNING] < MOST_FLIGHTS &&
                s->bytes < QUEUED_BYTES;
    pthread_mutex_unlock(&s->lock);
    return room;
}

/* The client may have the answer before its worker has taken the flight off the list. */
bool flights_knows(struct server *s, const json_t *id) {
    const struct timespec until = clock_end_of_wait(NS_TO_END);
    int late = 0;
    pthread_mutex_lock(&s->lock);
    struct flight *f = flight_of(s, id);
    while (f && f->state == FLIGHT_RUNNING && !late) {
        late = pthread_cond_timedwait(&s->changed, &s->lock, &until);
        f = flight_of(s, id);
    }
    pthread_mutex_unlock(&s->lock);
    return f != NULL;
}

/* The client's person need not answer any more. */
static void withdraw_question(struct server *s, const struct flight *f) {
    struct reply r;
    rpc_begin_method(&r, "notifications/cancelled", NULL);
    reply_kv_cstring(&r, "requestId", f->question);
    reply_kv_cstring(&r, "reason", "The call that it was about was cancelled.");
    rpc_end_method(&r);
    server_send(s, &r);
}

static void note_cancelled(struct server *s, const struct flight *f) {
    json_t *reply = json_pack("{s:s}", "error", "cancelled");
    if (f->op && !s->link)
        audit_end(&s->audit, &f->audited, json_object_get(f->message.params, "arguments"), reply,
                  false, "", 0);
    json_decref(reply);
}

/* Emacs need not go on with F. */
static void cancel_sent(struct server *s, const struct flight *f) {
    struct buf line = {0};
    buf_printf(&line, "{\"cancel\": %lu}\n", f->sent);
    (void)link_send(s->link, &line);
}

void flights_cancel(struct server *s, const json_t *id) {
    pthread_mutex_lock(&s->lock);
    struct flight *f = flight_of(s, id);
    if (f)
        __atomic_store_n(&f->cancelled, 1, __ATOMIC_SEQ_CST);
    if (f && f->state == FLIGHT_SENT)
        cancel_sent(s, f);
    if (f && (f->state == FLIGHT_RUNNING || f->awaited)) {
        f = NULL; /* its worker sees it */
        pthread_cond_broadcast(&s->changed);
    }
    if (f)
        drop_flight(s, f);
    pthread_mutex_unlock(&s->lock);
    if (!f)
        return;
    if (f->question[0])
        withdraw_question(s, f);
    note_cancelled(s, f);
    free_flight(f);
}

void flights_answer(struct server *s, struct message *message) {
    const char *id = json_string_value(message->id);
    pthread_mutex_lock(&s->lock);
    struct flight *f = s->flights;
    while (f && (f->state != FLIGHT_ASKED || !id || strcmp(f->question, id) != 0))
        f = f->next;
    if (f) {
        f->answer = *message;
        *message = (struct message){0};
        f->question[0] = '\0';
        set_state(s, f, FLIGHT_QUEUED);
        pthread_cond_broadcast(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
}

/* -- for workers ------------------------------------------------------------------------------- */

bool flight_is_cancelled(const struct flight *f) {
    return __atomic_load_n(&f->cancelled, __ATOMIC_SEQ_CST) != 0;
}

/* The question is sent under the lock: nobody withdraws it before. */
bool flight_ask(struct server *s, struct flight *f, question_writer *write, const void *data) {
    pthread_mutex_lock(&s->lock);
    bool may = s->counts[FLIGHT_ASKED] < MOST_QUESTIONS && !s->ending && !flight_is_cancelled(f);
    if (may) {
        struct reply r;
        (void)snprintf(f->question, sizeof f->question, "ask-%lu", ++s->questions);
        set_state(s, f, FLIGHT_ASKED);
        write(&r, f->question, data);
        server_send(s, &r);
    }
    pthread_mutex_unlock(&s->lock);
    return may;
}

/* -- calls that Emacs makes -------------------------------------------------------------------- */

/* The caller holds the lock. */
static void arrive(struct server *s, struct flight *f, json_t *answer) {
    f->answer.all = answer;
    set_state(s, f, f->awaited ? FLIGHT_RUNNING : FLIGHT_QUEUED);
    pthread_cond_broadcast(&s->changed);
}

void flights_arrive(struct server *s, unsigned long number, json_t *answer) {
    pthread_mutex_lock(&s->lock);
    struct flight *f = flight_sent(s, number);
    if (f)
        arrive(s, f, answer);
    pthread_mutex_unlock(&s->lock);
    if (!f)
        json_decref(answer);
}

void flights_progress(struct server *s, unsigned long number, int64_t done) {
    pthread_mutex_lock(&s->lock);
    struct flight *f = flight_sent(s, number);
    if (f && !flight_is_cancelled(f))
        answer_progress(s, f, done);
    pthread_mutex_unlock(&s->lock);
}

void flights_lose(struct server *s, const char *words) {
    pthread_mutex_lock(&s->lock);
    for (struct flight *f = s->flights; f; f = f->next)
        if (f->state == FLIGHT_SENT)
            arrive(s, f, json_pack("{s:s, s:s}", "text", words, "error", "not-connected"));
    pthread_mutex_unlock(&s->lock);
}

static bool send_frame(struct server *s, struct flight *f, frame_writer *write, const void *data) {
    struct reply r = {.format = AQFS_JSON};
    f->sent = ++s->sendings;
    write(&r, f->sent, data);
    buf_char(&r.out, '\n');
    return link_send(s->link, &r.out);
}

bool flight_send(struct server *s, struct flight *f, frame_writer *write, const void *data,
                 struct error *e) {
    pthread_mutex_lock(&s->lock);
    bool room = s->counts[FLIGHT_SENT] < MOST_FLIGHTS;
    bool sent = room && !flight_is_cancelled(f) && send_frame(s, f, write, data);
    if (sent)
        set_state(s, f, FLIGHT_SENT);
    while (sent && f->awaited && f->state == FLIGHT_SENT && !flight_is_cancelled(f))
        pthread_cond_wait(&s->changed, &s->lock);
    if (sent && f->awaited && f->state == FLIGHT_SENT)
        set_state(s, f, FLIGHT_RUNNING);
    pthread_mutex_unlock(&s->lock);
    if (!room)
        (void)fail(e, AQFS_LIMIT, "%d calls are under way: wait until one of them has ended",
                   MOST_FLIGHTS);
    else if (!sent)
        (void)fail(e, AQFS_NOT_CONNECTED,
                   "The connection to Emacs was lost.  Nothing was done: try it again");
    return sent;
}

/* -- serving ----------------------------------------------------------------------------------- */

static void serve_taken(struct server *s, struct flight *f) {
    bool ended = f->serve(s, f);
    pthread_mutex_lock(&s->lock);
    if (ended)
        drop_flight(s, f);
    pthread_cond_broadcast(&s->changed);
    pthread_mutex_unlock(&s->lock);
    if (!ended)
        return;
    free_flight(f);
    server_wake(s);
}

static struct flight *take_flight(struct server *s, bool wait) {
    pthread_mutex_lock(&s->lock);
    struct flight *f = flight_in(s, FLIGHT_QUEUED);
    while (!f && wait && !(s->ending && s->counts[FLIGHT_SENT] == 0)) {
        pthread_cond_wait(&s->changed, &s->lock);
        f = flight_in(s, FLIGHT_QUEUED);
    }
    if (f)
        set_state(s, f, FLIGHT_RUNNING);
    pthread_mutex_unlock(&s->lock);
    return f;
}

bool flights_work_once(struct server *s) {
    struct flight *f = take_flight(s, false);
    if (f)
        serve_taken(s, f);
    return f != NULL;
}

void *flights_work(void *server) {
    struct server *s = server;
    struct flight *f;
    while ((f = take_flight(s, true)) != NULL) {
        outbox_wait(&s->out, UNREAD_BYTES);
        serve_taken(s, f);
    }
    return NULL;
}

/* -- the end ----------------------------------------------------------------------------------- */

/* Waits until nothing is in the queue, runs or is made by Emacs, or SECONDS have passed. */
static bool wait_for_flights(struct server *s, int seconds) {
    const struct timespec until = clock_end_of_wait(seconds * NS_PER_S);
    int late = 0;
    while (s->counts[FLIGHT_QUEUED] + s->counts[FLIGHT_RUNNING] + s->counts[FLIGHT_SENT] > 0 &&
           !late)
        late = pthread_cond_timedwait(&s->changed, &s->lock, &until);
    return !late;
}

/* Nobody waits any more for what Emacs does; false. */
static bool drop_sent(struct server *s) {
    for (struct flight *f = s->flights; f; f = f->next)
        if (f->state == FLIGHT_SENT) {
            cancel_sent(s, f);
            arrive(s, f, json_object());
        }
    return false;
}

bool flights_end(struct server *s, int seconds) {
    pthread_mutex_lock(&s->lock);
    s->ending = true;
    pthread_cond_broadcast(&s->changed);
    bool done = wait_for_flights(s, seconds);
    for (struct flight *f = s->flights; f && !done; f = f->next)
        __atomic_store_n(&f->cancelled, 1, __ATOMIC_SEQ_CST);
    if (!done && s->link) /* those that Emacs makes */
        done = drop_sent(s);
    done = done || wait_for_flights(s, 5);
    pthread_mutex_unlock(&s->lock);
    return done;
}

void flights_free(struct server *s) {
    while (s->flights) {
        struct flight *f = s->flights;
        s->flights = f->next;
        note_cancelled(s, f);
        free_flight(f);
    }
}
