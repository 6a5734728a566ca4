/* link.c -- a connection to a running Emacs: see link.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "link.h"

#include "clock.h"
#include "emacs_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FRAME_BYTES ((size_t)256 << 20) /* of one frame from Emacs */
#define CONFIRM_BYTES ((size_t)16384)   /* are confirmed at once */
#define SECONDS_TO_RETRY 1

/* -- frames ------------------------------------------------------------------------------------ */

static void nothing_to_do(void *data) {
    (void)data;
}

static void put_json(struct link *link, const json_t *frame) {
    struct buf line = {0};
    char *text = json_dumps(frame, JSON_COMPACT);
    buf_str(&line, text ? text : "");
    buf_char(&line, '\n');
    line.failed = line.failed || !text;
    free(text);
    outbox_put(&link->out, &line);
}

static void confirm_bytes(struct link *link, size_t n) {
    link->unconfirmed += n;
    if (link->unconfirmed < CONFIRM_BYTES)
        return;
    struct buf line = {0};
    buf_printf(&line, "{\"got\": %zu}\n", link->unconfirmed);
    link->unconfirmed = 0;
    outbox_put(&link->out, &line);
}

static void end_talk(struct link *link, const char *words) {
    pthread_mutex_lock(&link->lock);
    (void)fail(&link->problem, AQFS_NOT_CONNECTED, "%s", words);
    pthread_mutex_unlock(&link->lock);
    (void)shutdown(link->fd, SHUT_RDWR);
}

static void take_greeting(struct link *link, const json_t *frame) {
    const char *refused = json_string_value(json_object_get(frame, "refused"));
    if (!refused && json_integer_value(json_object_get(frame, "hello")) != LINK_PROTOCOL)
        refused = "Emacs has another version of agent-q-fs: restart it, or this server";
    if (!refused)
        refused = link->greet(link->data, frame);
    if (refused) {
        end_talk(link, refused);
        return;
    }
    pthread_mutex_lock(&link->lock);
    link->state = LINK_UP;
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
}

/* A frame_taker. */
static void take_frame(void *data, const char *text, size_t n) {
    struct link *link = data;
    json_t *frame = text ? json_loadb(text, n, JSON_ALLOW_NUL, NULL) : NULL;
    if (!json_is_object(frame))
        end_talk(link, "Emacs has sent what is no frame.  It may have been done or not");
    else if (link->state == LINK_SHAKING) /* only this thread writes it then */
        take_greeting(link, frame);
    else {
        link->take(link->data, frame);
        return;
    }
    json_decref(frame);
}

void link_feed(struct link *link, const char *bytes, size_t n) {
    frames_feed(&link->in, bytes, n, take_frame, link);
    confirm_bytes(link, n);
}

/* -- one connection ---------------------------------------------------------------------------- */

static void begin_talk(struct link *link, int fd) {
    pthread_mutex_lock(&link->lock);
    link->fd = fd;
    link->state = LINK_SHAKING;
    link->unconfirmed = 0;
    link->in = (struct frames){.most = FRAME_BYTES};
    (void)fail(&link->problem, AQFS_NOT_CONNECTED,
               "Emacs has ended the connection: it was left, or agent-q-fs-mcp-mode switched off");
    if (link->ending)
        (void)shutdown(fd, SHUT_RDWR);
    pthread_mutex_unlock(&link->lock);
}

static void read_from_emacs(struct link *link) {
    static char piece[65536]; /* there is one link */
    for (;;) {
        ssize_t n = read(link->fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return;
        link_feed(link, piece, (size_t)n);
    }
}

static void stop_talk(struct link *link, bool writes) {
    pthread_mutex_lock(&link->lock);
    link->state = LINK_DOWN;
    pthread_mutex_unlock(&link->lock);
    (void)shutdown(link->fd, SHUT_RDWR); /* its writer ends */
    if (writes)
        outbox_close(&link->out, 1);
    buf_free(&link->in.line);
    link->lost(link->data);
    pthread_mutex_lock(&link->lock);
    (void)close(link->fd);
    link->fd = -1;
    pthread_mutex_unlock(&link->lock);
}

static void talk_to_emacs(struct link *link, int fd) {
    begin_talk(link, fd);
    bool writes = outbox_open(&link->out, fd, nothing_to_do, NULL);
    if (writes) {
        put_json(link, link->hello);
        read_from_emacs(link);
    }
    stop_talk(link, writes);
}

/* -- the thread -------------------------------------------------------------------------------- */

/* Waits until it is time to try again; false when it is time to end. */
static bool wait_to_try(struct link *link) {
    struct timespec until = clock_end_of_wait(SECONDS_TO_RETRY * NS_PER_S);
    int late = 0;
    pthread_mutex_lock(&link->lock);
    link->tries++;
    link->wanted = false;
    pthread_cond_broadcast(&link->changed);
    while (!link->ending && !link->wanted && !late)
        late = pthread_cond_timedwait(&link->changed, &link->lock, &until);
    bool goes_on = !link->ending;
    pthread_mutex_unlock(&link->lock);
    return goes_on;
}

static void *keep_link(void *data) {
    struct link *link = data;
    do {
        struct error problem;
        int fd = emacs_socket_connect(link->socket, &problem);
        if (fd >= 0) {
            talk_to_emacs(link, fd);
            continue;
        }
        pthread_mutex_lock(&link->lock);
        link->problem = problem;
        pthread_mutex_unlock(&link->lock);
    } while (wait_to_try(link));
    return NULL;
}

bool link_open(struct link *link) {
    pthread_mutex_init(&link->lock, NULL);
    pthread_cond_init(&link->changed, NULL);
    link->fd = -1;
    return pthread_create(&link->thread, NULL, keep_link, link) == 0;
}

void link_close(struct link *link) {
    pthread_mutex_lock(&link->lock);
    link->ending = true;
    if (link->fd >= 0)
        (void)shutdown(link->fd, SHUT_RDWR);
    pthread_cond_broadcast(&link->changed);
    pthread_mutex_unlock(&link->lock);
    (void)pthread_join(link->thread, NULL);
    json_decref(link->hello);
    pthread_cond_destroy(&link->changed);
    pthread_mutex_destroy(&link->lock);
}

bool link_wait(struct link *link, int seconds, struct error *e) {
    struct timespec until = clock_end_of_wait(seconds * NS_PER_S);
    int late = 0;
    pthread_mutex_lock(&link->lock);
    unsigned long seen = link->tries;
    link->wanted = true;
    pthread_cond_broadcast(&link->changed);
    while (link->state != LINK_UP && link->tries == seen && !link->ending && !late)
        late = pthread_cond_timedwait(&link->changed, &link->lock, &until);
    bool up = link->state == LINK_UP;
    if (!up && link->state == LINK_SHAKING)
        (void)fail(e, AQFS_NOT_CONNECTED, "Emacs is busy and does not answer.  Nothing was done");
    else if (!up)
        *e = link->problem;
    pthread_mutex_unlock(&link->lock);
    return up;
}

bool link_is_up(struct link *link) {
    pthread_mutex_lock(&link->lock);
    bool up = link->state == LINK_UP;
    pthread_mutex_unlock(&link->lock);
    return up;
}

bool link_send(struct link *link, struct buf *frame) {
    pthread_mutex_lock(&link->lock);
    bool up = link->state == LINK_UP;
    if (up)
        outbox_put(&link->out, frame);
    pthread_mutex_unlock(&link->lock);
    if (!up)
        buf_free(frame);
    return up;
}
