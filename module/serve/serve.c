/* serve.c -- a connection from its begin to its end: see serve.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "connection.h"

#include "cleanup.h"
#include "reply.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/utsname.h>
#include <termios.h>

#define PIECE_READ ((size_t)65536)
#define SECONDS_TO_FINISH 10 /* for commits under way, when the connection has ended */
#define SECONDS_TO_SEND 5
#define LEAST_WINDOW 1
#define MOST_WINDOW ((json_int_t)1 << 30)
#define MOST_KEEP_ALIVE 86400

/* -- hello ------------------------------------------------------------------------------------- */

/* The machine, so that a client can tell which programs run there. */
static void write_system(struct reply *r) {
    struct utsname name;
    if (uname(&name) != 0)
        return;
    reply_kv_cstring(r, "system", name.sysname);
    reply_kv_cstring(r, "machine", name.machine);
}

static void say_hello(struct connection *c) {
    struct reply r = {.format = AQFS_JSON};
    reply_map(&r);
    reply_kv_cstring(&r, KEY_NAME, "agent-q-fs");
    reply_kv_int(&r, "protocol", SERVE_PROTOCOL);
    reply_kv_cstring(&r, KEY_VERSION, AQFS_VERSION);
    reply_kv_int(&r, KEY_ABI, AQFS_ABI_VERSION);
    reply_kv_int(&r, "frame-bytes", (int64_t)SERVE_FRAME_BYTES);
    reply_kv_int(&r, KEY_CALLS, SERVE_MOST_JOBS);
    reply_kv_int(&r, "workspaces", SERVE_MOST_WORKSPACES);
    write_system(&r);
    reply_kv_int(&r, "uid", (int64_t)getuid());
    reply_kv_cstring(&r, "home", c->place->home);
    reply_kv_cstring(&r, "state-dir", c->place->state_dir);
    reply_end_map(&r);
    if (!r.out.failed)
        send_urgent(c, FRAME_HELLO, 0, r.out.data, r.out.len);
    buf_free(&r.out);
}

/* The number NAME of HELLO, or OTHERWISE; false for what is none between LEAST and MOST. */
static bool hello_number(const json_t *hello, const char *name, json_int_t least, json_int_t most,
                         json_int_t *out) {
    const json_t *v = json_object_get(hello, name);
    if (!v)
        return true;
    *out = json_integer_value(v);
    return json_is_integer(v) && *out >= least && *out <= most;
}

/* Is NAME, of a client, 32 hexadecimal digits, or not given? */
static bool read_client(struct connection *c, const json_t *name) {
    const char *text = json_string_value(name);
    if (!name)
        return true;
    if (!text || json_string_length(name) != CLIENT_DIGITS ||
        strspn(text, "0123456789abcdef") != CLIENT_DIGITS)
        return false;
    memcpy(c->client, text, CLIENT_DIGITS + 1);
    return true;
}

/* The fault in the client's HELLO, or NULL: then it counts. */
static const char *read_hello(struct connection *c, const json_t *hello) {
    json_int_t protocol = 0, window = (json_int_t)SERVE_WINDOW, keep_alive = 0;
    const char *format = json_string_value(json_object_get(hello, "format"));
    const json_t *deflate = json_object_get(hello, "deflate");
    if (!json_is_object(hello))
        return "hello: expected a JSON object";
    if (!hello_number(hello, "protocol", SERVE_PROTOCOL, SERVE_PROTOCOL, &protocol) || !protocol)
        return "protocol: expected 1: this server speaks no other; install the same version of "
               "agent-q-fs at both ends";
    if (!format || (strcmp(format, "sexp") != 0 && strcmp(format, "json") != 0))
        return "format: expected \"sexp\" or \"json\"";
    if (!hello_number(hello, "window", LEAST_WINDOW, MOST_WINDOW, &window))
        return "window: expected a number of bytes from 1 to 1073741824";
    if (!hello_number(hello, "keep_alive", 0, MOST_KEEP_ALIVE, &keep_alive))
        return "keep_alive: expected a number of seconds from 0 to 86400";
    if (!read_client(c, json_object_get(hello, "client")))
        return "client: expected 32 hexadecimal digits, in lower case";
    if (deflate && !json_is_boolean(deflate))
        return "deflate: expected true or false";
    c->format = strcmp(format, "json") == 0 ? AQFS_JSON : AQFS_SEXP;
    c->deflates = json_is_true(deflate);
    c->window = (uint64_t)window;
    c->keep_alive_ms = keep_alive ? (int)keep_alive * 1000 : -1;
    c->greeted = true;
    return NULL;
}

/* Nothing more is taken from the client. */
static void end_with_fault(struct connection *c, const char *name, const char *words) {
    send_fault(c, 0, name, words);
    c->reader.fault = name;
    c->told_fault = true;
}

static void take_hello(struct connection *c, const struct buf *payload) {
    json_t *hello =
        payload->len ? json_loadb(payload->data, payload->len, JSON_REJECT_DUPLICATES, NULL) : NULL;
    const char *problem = c->greeted ? "hello: it is said once" : read_hello(c, hello);
    if (problem)
        end_with_fault(c, "bad-hello", problem);
    json_decref(hello);
}

/* -- frames ------------------------------------------------------------------------------------ */

void connection_take(void *connection, const struct frame_head *head, struct buf *payload) {
    struct connection *c = connection;
    if (head->kind == FRAME_HELLO) {
        take_hello(c, payload);
        return;
    }
    if (!c->greeted) {
        end_with_fault(c, "no-hello", "Expected hello before anything else");
        return;
    }
    switch (head->kind) {
    case FRAME_PING:
        send_urgent(c, FRAME_PONG, head->id, NULL, 0);
        break;
    case FRAME_CANCEL:
        job_cancel_of(c, head->id);
        break;
    case FRAME_MORE:
        job_widen(c, head->id, head->argument);
        break;
    case FRAME_INPUT:
        job_input_of(c, head->id, head->argument == 1, payload);
        break;
    case FRAME_BYE:
        send_bye(c);
        break;
    case FRAME_VERSION:
    case FRAME_CATALOGUE:
    case FRAME_OPEN:
    case FRAME_CALL:
    case FRAME_STREAM:
    case FRAME_RESET:
    case FRAME_CLOSE:
    case FRAME_RUN:
        job_begin_of(c, head, payload);
        break;
    default: /* of a later version, or of a server */
        if (head->id)
            send_fault(c, head->id, "unknown-kind", "This server has no frame of that kind");
        else
            end_with_fault(c, "unknown-kind", "This server has no frame of that kind");
    }
}

static const char *words_of_fault(const char *fault) {
    if (strcmp(fault, "bad-header") == 0)
        return "Expected KIND ID ARGUMENT LENGTH and a newline: a word of lower-case letters and "
               "three numbers";
    if (strcmp(fault, "too-long") == 0)
        return "The frame is longer than 67108864 bytes";
    if (strcmp(fault, "bad-end") == 0)
        return "The payload is longer than the header says: expected a newline behind it";
    return "There is no memory for this frame";
}

/* Reads what is there; false when the connection ends. */
static bool read_frames(struct connection *c, int in, char *piece) {
    ssize_t n = read(in, piece, PIECE_READ);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    if (n == 0)
        return false;
    if (frame_reader_feed(&c->reader, piece, (size_t)n, connection_take, c))
        return true;
    if (!c->told_fault)
        send_fault(c, 0, c->reader.fault, words_of_fault(c->reader.fault));
    return false;
}

/* Until IN ends, or nobody reads OUT any more, or a signal says so, or the client is silent. */
static void read_until_end(struct connection *c, int in, int signals, char *piece) {
    for (;;) {
        struct pollfd ready[] = {{.fd = in, .events = POLLIN},
                                 {.fd = c->out, .events = 0},
                                 {.fd = signals, .events = POLLIN},
                                 {.fd = c->wake, .events = POLLIN}};
        int n = poll(ready, 4, c->keep_alive_ms);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return;
        if (n == 0 || (n > 0 && (ready[1].revents || ready[2].revents || ready[3].revents)))
            return;
        if (n > 0 && ready[0].revents && !read_frames(c, in, piece))
            return;
    }
}

/* -- begin and end ----------------------------------------------------------------------------- */

/* A terminal, as TRAMP may give us, must not change a byte.  False if IN is none. */
static bool make_raw(int in, struct termios *before) {
    struct termios raw;
    if (!isatty(in) || tcgetattr(in, before) != 0)
        return false;
    raw = *before;
    cfmakeraw(&raw);
    return tcsetattr(in, TCSANOW, &raw) == 0;
}

/* The signals that end us, as a descriptor that is readable then.  Called before threads begin, so
 * that none of them is interrupted. */
static int open_signals(void) {
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGHUP);
    (void)signal(SIGPIPE, SIG_IGN);
    if (pthread_sigmask(SIG_BLOCK, &ends, NULL) != 0)
        return -1;
    return signalfd(-1, &ends, SFD_CLOEXEC);
}

void connection_begin(struct connection *c, const struct serve_place *place, int out) {
    *c = (struct connection){.place = place,
                             .out = out,
                             .wake = -1,
                             .lock_fd = -1,
                             .window = SERVE_WINDOW,
                             .keep_alive_ms = -1,
                             .reader.most = SERVE_FRAME_BYTES};
    pthread_mutex_init(&c->client_lock, NULL);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
}

void connection_free(struct connection *c) {
    pthread_mutex_lock(&c->lock);
    c->leaving = false;
    while (c->jobs)
        free_job(c->jobs);
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < SERVE_MOST_WORKSPACES; i++)
        aqfs_free(c->workspaces[i].ws);
    predecessor_leave(c);
    buf_free(&c->urgent);
    frame_reader_free(&c->reader);
}

static void serve_connection(struct connection *c, int in, int signals, char *piece) {
    say_hello(c);
    read_until_end(c, in, signals, piece);
    /* A thread may wait for a file system that does not answer.  Its locks end with the process,
     * and its journal is read when the project is next opened. */
    if (!jobs_end(c, c->leaving, SECONDS_TO_FINISH) || !sending_end(c, SECONDS_TO_SEND))
        _exit(0);
}

int serve_run(const struct serve_place *place, int in, int out) {
    static struct connection c;
    AUTO_CLOSE int signals = open_signals();
    AUTO_FREE char *piece = malloc(PIECE_READ);
    struct termios before;
    connection_begin(&c, place, out);
    bool was_terminal = make_raw(in, &before);
    c.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int status = signals >= 0 && c.wake >= 0 && piece && sending_begin(&c) ? 0 : 2;
    if (status == 0) {
        serve_connection(&c, in, signals, piece);
        connection_free(&c);
    } else {
        (void)fprintf(stderr, "agent-q-fs serve: %s\n", strerror(errno));
    }
    cleanup_close(&c.wake);
    if (was_terminal)
        (void)tcsetattr(in, TCSANOW, &before);
    return status;
}
