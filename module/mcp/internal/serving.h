/* serving.h -- a server at work: its workspace, its client, and the requests under way.
 *
 * One thread reads messages and answers what takes no time (session.c).  The others take the
 * requests that touch files, called flights, from a queue (flight.c), and one writes (outbox.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SERVING_H
#define AQFS_SERVING_H

#include "aqfs.h"
#include "audit.h"
#include "frame.h"
#include "link.h"
#include "outbox.h"
#include "rpc.h"
#include "settings.h"
#include "toolbox.h"
#include "watches.h"

#include <signal.h>

#define SERVER_NAME "agent-q-fs"
#define MODERN_VERSION "2026-07-28"
#define META(name) "io.modelcontextprotocol/" name

/* The most bytes of one message, of answers that nobody has read, and of requests in the queue. */
#define LINE_BYTES ((size_t)64 << 20)
#define UNREAD_BYTES ((size_t)16 << 20)
#define QUEUED_BYTES ((size_t)64 << 20)
/* The most requests under way, and questions that wait for an answer. */
#define MOST_FLIGHTS 256
#define MOST_QUESTIONS 32
#define MOST_WORKERS 4

/* How a request is spoken: with a handshake (until 2025-11-25), or with all in each request. */
enum era { ERA_LEGACY, ERA_MODERN };

struct speaker {
    enum era era;
    bool can_ask;    /* the client can ask a person by a form */
    char client[80]; /* what it calls itself, made printable, or "" */
};

enum flight_state { FLIGHT_QUEUED, FLIGHT_RUNNING, FLIGHT_ASKED, FLIGHT_SENT, FLIGHT_STATES };

struct server;
struct flight;

/* Serves F on a worker; false if it has been left to a question, or to Emacs. */
typedef bool flight_server(struct server *s, struct flight *f);

/* How far a call is.  Its parts count from 0 each: a plan, and then the change. */
struct progress {
    int64_t told, before, last; /* of all parts, of those that have ended, of this one */
};

struct flight {
    struct flight *next;
    flight_server *serve;
    enum flight_state state; /* guarded by the server's lock */
    struct message message;
    struct speaker by;
    size_t bytes;
    int32_t cancelled; /* then no answer is sent; written atomically */
    struct progress progress;
    char question[24];     /* the name of the question to the client, or "" */
    unsigned long sent;    /* the number of the call that Emacs makes, or 0 */
    bool awaited;          /* a worker waits for the end of that call */
    struct message answer; /* its answer, once it is there */
    const struct op *op;   /* of tools/call, once it has begun */
    char digest[80];       /* of the plan that is asked about */
    struct audited audited;
};

/* The subjects a client wants to hear of (subscriptions.c, look.c); guarded by the server's lock.
 */
struct subscriptions {
    struct subscription *all;
    size_t count, looks; /* looks: flights that look */
    unsigned long numbers;
    bool served; /* the thread runs, and the members below are its */
    bool ending; /* written atomically */
    int wake;    /* an eventfd */
    pthread_t thread;
    struct watches watches;
};

struct server {
    const struct settings *settings;
    aqfs_workspace *ws;
    char *root; /* as the workspace names it */
    struct toolbox box;
    struct audit audit;
    struct outbox out;
    struct frames in;
    int wake;          /* an eventfd: something that the reading thread waits for has changed */
    struct link *link; /* to an Emacs, which then makes the calls and has the workspace; or NULL */

    bool initialized; /* by the handshake, set with the lock; the rest as it said */
    struct speaker session;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct flight *flights; /* the oldest first; guarded by lock, as all below */
    size_t counts[FLIGHT_STATES], bytes;
    unsigned long questions, sendings;
    bool ending;
    struct buf far_tools; /* the list of tools that Emacs offers, or empty */
    bool listed;          /* the client has seen a list of tools */
    struct subscriptions heard;
};

/* -- session.c --------------------------------------------------------------------------------- */

/* A frame_taker: serves or queues the message TEXT of SERVER. */
void session_take(void *server, const char *text, size_t n);

/* -- answer.c ---------------------------------------------------------------------------------- */

/* Writes the begin of an answer to BY: {"jsonrpc", "id", "result": {"resultType": TYPE, "_meta".
 * DATA, or NULL, is the printed JSON of an error for programs. */
void answer_begin(struct reply *r, const json_t *id, const struct speaker *by, const char *type,
                  const char *data);
void answer_end(struct reply *r);
/* The hints for caches that results of lists have. */
void answer_cache_hints(struct reply *r, const struct speaker *by, int ttl_ms, const char *scope);

/* The members content and isError of the answer to a call. */
void answer_words(struct reply *r, const char *text, size_t n, bool failed);

void server_send(struct server *s, struct reply *r);
void send_unless_cancelled(struct server *s, const struct flight *f, struct reply *r);
/* Answers the flight with an error; DATA is printed JSON, or NULL. */
void server_refuse(struct server *s, const struct flight *f, const struct fault *fault,
                   const char *data);
/* The token by which the client of F wants to be told how far it is, or NULL. */
const json_t *answer_progress_token(const struct flight *f);
/* Tells the client of F that DONE things are done, if it wants to know and they are more. */
void answer_progress(struct server *s, struct flight *f, int64_t done);
/* The member KEY with what this server is. */
void answer_implementation(struct reply *r, const char *key);

/* -- flight.c ---------------------------------------------------------------------------------- */

/* Puts a request, which SERVE serves, into the queue, and takes over MESSAGE. */
void flight_begin(struct server *s, struct message *message, const struct speaker *by,
                  flight_server *serve, size_t bytes);
/* May another one be read?  The thread that reads is woken when it may have become so. */
bool flights_have_room(struct server *s);
void server_wake(struct server *s);
bool flights_knows(struct server *s, const json_t *id);
void flights_cancel(struct server *s, const json_t *id);
/* Takes the client's answer to a question, and takes over MESSAGE. */
void flights_answer(struct server *s, struct message *message);

/* Writes the request with the id QUESTION to the client. */
typedef void question_writer(struct reply *r, const char *question, const void *data);
/* F, which a worker has, waits for the answer to a question from now on, and its worker leaves it
 * alone.  False if too many wait already, or nothing more comes: then nothing was asked. */
bool flight_ask(struct server *s, struct flight *f, question_writer *write, const void *data);
/* F, which a worker has, is left to Emacs from now on, by the frame that WRITE makes of its number.
 * If F is awaited, this returns when its answer has come or it was cancelled; else its worker
 * leaves it alone.  False and *E if it was not sent. */
typedef void frame_writer(struct reply *r, unsigned long number, const void *data);
bool flight_send(struct server *s, struct flight *f, frame_writer *write, const void *data,
                 struct error *e);
/* Emacs has answered call NUMBER; takes over ANSWER. */
void flights_arrive(struct server *s, unsigned long number, json_t *answer);
/* Emacs says that DONE things of call NUMBER are done. */
void flights_progress(struct server *s, unsigned long number, int64_t done);
/* The connection is lost: each call that was sent is answered by an error in WORDS. */
void flights_lose(struct server *s, const char *words);
/* Has the client taken the request back?  Then nothing is sent. */
bool flight_is_cancelled(const struct flight *f);

/* The body of a worker. */
void *flights_work(void *server);
/* Serves one request of the queue on this thread; false if there is none. */
bool flights_work_once(struct server *s);
/* Nothing more comes: waits until all in the queue is done, SECONDS at most; then cancels what is
 * left and waits a little.  False if some is left even so. */
bool flights_end(struct server *s, int seconds);
void flights_free(struct server *s);

/* -- far.c ------------------------------------------------------------------------------------- */

/* The functions of the link of a server: see link.h. */
void far_take(void *server, json_t *frame);
const char *far_welcome(void *server, const json_t *frame);
void far_lost(void *server);
/* The first frame, for SETTINGS; NULL without memory. */
json_t *far_hello(const struct settings *settings);

/* Has Emacs make the call F, and answers it when that has answered. */
flight_server far_tool_call;
/* Waits until Emacs serves, where it makes the calls; false and *E if it does not. */
bool far_wait(struct server *s, struct error *e);
/* Has Emacs call OP for F, asking nobody, and waits: the answer, or NULL and *E. */
json_t *far_call(struct server *s, struct flight *f, const char *op, const json_t *args,
                 struct error *e);

/* -- tool_call.c, resources.c ------------------------------------------------------------------ */

/* Also when its question has been answered. */
flight_server tool_call;

/* The path that URI, a file: URI, names: AQFS_INVALID_ARGUMENT for others. */
int resource_path(const json_t *uri, struct buf *path, struct error *e);
flight_server resource_read, resource_list;
/* The data of a call of OP with ARGS, which it takes over, for F, or NULL and *E. */
json_t *resource_call(struct server *s, struct flight *f, json_t *args, const char *op,
                      struct error *e);
void resource_refuse(struct server *s, const struct flight *f, const struct error *e);
void resource_templates(struct server *s, const json_t *id, const struct speaker *by);

/* -- subscriptions.c, look.c ------------------------------------------------------------------- */

/* resources/subscribe and subscriptions/listen. */
flight_server subscription_begin, subscription_listen;
/* Answers resources/unsubscribe. */
void subscription_leave(struct server *s, const struct message *m, const struct speaker *by);

/* Does a subscriptions/listen with this id go on? */
bool subscriptions_know(struct server *s, const json_t *id);
void subscriptions_cancel(struct server *s, const json_t *id);
/* The list of tools is another one.  The caller of this and the next holds the lock. */
void subscriptions_tell_tools(struct server *s);
/* All may be another one. */
void subscriptions_look_again(struct server *s);
/* Ends the thread; false if it hangs. */
bool subscriptions_end(struct server *s);
/* Afterwards: the client is told that nothing more comes. */
void subscriptions_free(struct server *s);

#endif
