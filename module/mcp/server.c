/* server.c -- a server from its begin to its end: see server.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "server.h"

#include "cleanup.h"
#include "serving.h"
#include "waking.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#define PIECE ((size_t)65536)   /* bytes that are read at once */
#define SECONDS_FOR_THE_REST 10 /* for what is under way when the client has ended */
#define SECONDS_TO_WRITE 5

/* -- waking the thread that reads -------------------------------------------------------------- */

static volatile sig_atomic_t was_told_to_end;
static volatile sig_atomic_t wake_of_signals = -1;

static void take_signal(int number) {
    int problem = errno;
    (void)number;
    was_told_to_end = 1;
    if (wake_of_signals >= 0)
        wake_poller(wake_of_signals);
    errno = problem;
}

static void wake_of(void *server) {
    server_wake(server);
}

static void set_signals(int wake) {
    const int ends[] = {SIGTERM, SIGINT, SIGHUP};
    struct sigaction action = {.sa_handler = take_signal};
    wake_of_signals = wake;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        (void)sigaction(ends[i], &action, NULL);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
}

/* -- reading ----------------------------------------------------------------------------------- */

/* Has the client room for answers, and the queue for requests?  If not, no more is read until it
 * has: then the client waits, and nothing grows. */
static bool has_room(struct server *s) {
    return outbox_size(&s->out) < UNREAD_BYTES && flights_have_room(s);
}

/* Reads what is there; false when there will be no more. */
static bool read_piece(struct server *s, int in, char *piece) {
    ssize_t n = read(in, piece, PIECE);
    if (n > 0)
        frames_feed(&s->in, piece, (size_t)n, session_take, s);
    if (n == 0)
        frames_end(&s->in, session_take, s);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Until IN ends, or nobody reads any more, or a signal says so; false after the last two. */
static bool read_all(struct server *s, int in, char *piece) {
    for (;;) {
        bool room = has_room(s);
        struct pollfd ready[] = {{.fd = room ? in : -1, .events = POLLIN},
                                 {.fd = s->wake, .events = POLLIN}};
        int n = poll(ready, 2, -1);
        if (n < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        if (was_told_to_end || outbox_is_broken(&s->out))
            return false;
        if (n > 0 && ready[1].revents) {
            uint64_t count;
            ssize_t taken = read(s->wake, &count, sizeof count);
            (void)taken;
        }
        if (n > 0 && room && ready[0].revents && !read_piece(s, in, piece))
            return true;
    }
}

/* -- begin and end ----------------------------------------------------------------------------- */

static int open_workspace(struct server *s) {
    char *options = json_dumps(s->settings->options, JSON_COMPACT);
    if (!options)
        return 2;
    aqfs_reply *reply = aqfs_open(options, strlen(options), AQFS_JSON, &s->ws);
    json_t *data = reply ? json_loads(aqfs_reply_text(reply, NULL), 0, NULL) : NULL;
    const char *message = json_string_value(json_object_get(data, "message"));
    const char *root = json_string_value(json_object_get(data, "root"));
    if (!s->ws)
        (void)fprintf(stderr, "agent-q-fs: %s\n", message ? message : "there is no memory");
    s->root = strdup(root ? root : "");
    if (s->root && s->root[0] && s->root[strlen(s->root) - 1] == '/')
        s->root[strlen(s->root) - 1] = '\0';
    json_decref(data);
    aqfs_reply_free(reply);
    free(options);
    return s->ws && s->root ? 0 : 2;
}

/* A running Emacs makes the calls. */
static int open_link(struct server *s, struct link *link) {
    *link = (struct link){.socket = s->settings->socket,
                          .hello = far_hello(s->settings),
                          .take = far_take,
                          .greet = far_welcome,
                          .lost = far_lost,
                          .data = s};
    s->root = strdup("");
    if (link->hello && s->root && link_open(link)) {
        s->link = link;
        return 0;
    }
    (void)fprintf(stderr, "agent-q-fs: there is no memory, or no current directory\n");
    json_decref(link->hello);
    return 2;
}

/* Tools that are declared in Emacs Lisp are not known here: then there are none before Emacs is. */
static int open_toolbox(struct server *s) {
    struct error e;
    if (toolbox_open(&s->box, s->settings->tools, !s->settings->text_only, &e) != AQFS_OK) {
        if (s->settings->emacs) {
            toolbox_close(&s->box);
            return toolbox_open(&s->box, NULL, true, &e) == AQFS_OK ? 0 : 2;
        }
        (void)fprintf(stderr, "agent-q-fs: %s\n", e.message);
        return 2;
    }
    return 0;
}

static int open_parts(struct server *s) {
    int status = open_toolbox(s);
    if (!status && !s->settings->emacs)
        status = open_workspace(s);
    s->wake = status ? -1 : eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!status && s->wake < 0) {
        (void)fprintf(stderr, "agent-q-fs: eventfd: %s\n", strerror(errno));
        status = 2;
    }
    return status;
}

static void close_parts(struct server *s) {
    toolbox_close(&s->box);
    if (s->ws)
        aqfs_free(s->ws);
    free(s->root);
    buf_free(&s->far_tools);
    cleanup_close(&s->wake);
    buf_free(&s->in.line);
}

static unsigned start_flight_workers(struct server *s, pthread_t workers[MOST_WORKERS]) {
    unsigned n = 0;
    while (n < MOST_WORKERS && pthread_create(&workers[n], NULL, flights_work, s) == 0)
        n++;
    return n;
}

/* Serves; false if threads are left that hang. */
static bool serve_client(struct server *s, int in, char *piece) {
    pthread_t workers[MOST_WORKERS];
    unsigned n = start_flight_workers(s, workers);
    bool polite = n > 0 && read_all(s, in, piece);
    if (n == 0)
        (void)fprintf(stderr, "agent-q-fs: no thread could be started\n");
    bool done = subscriptions_end(s) && flights_end(s, polite ? SECONDS_FOR_THE_REST : 0);
    for (unsigned i = 0; done && i < n; i++)
        (void)pthread_join(workers[i], NULL);
    if (done && s->link) /* before what its thread writes to is closed */
        link_close(s->link);
    if (done) {
        flights_free(s);
        subscriptions_free(s);
    }
    outbox_close(&s->out, polite ? SECONDS_TO_WRITE : 0);
    return done;
}

int server_run(const struct settings *settings, int in, int out) {
    AUTO_FREE char *piece = malloc(PIECE);
    struct server s = {.settings = settings, .in.most = LINE_BYTES, .wake = -1};
    struct link link;
    int status = piece ? open_parts(&s) : 2;
    if (status == 0) {
        pthread_mutex_init(&s.lock, NULL);
        pthread_cond_init(&s.changed, NULL);
        audit_open(&s.audit, settings->emacs ? NULL : settings->audit, s.root);
        set_signals(s.wake);
        if (!outbox_open(&s.out, out, wake_of, &s) ||
            (settings->emacs && open_link(&s, &link) != 0))
            status = 2;
        else if (!serve_client(&s, in, piece))
            _exit(0); /* a thread waits for a file system that does not answer */
        audit_close(&s.audit);
    }
    close_parts(&s);
    return status;
}
