/* link.c -- a connection to a running Emacs: see link.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "link.h"

#include "clock.h"
#include "emacs_socket.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FRAME_BYTES ((size_t)256 << 20) /* of one frame from Emacs, and of its words */
#define CONFIRM_BYTES ((size_t)32768)   /* are confirmed at once: less than Emacs' window */
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

/* FRAME's words have come.  A tool may say what is no text: that is an error of its call alone. */
static void give_words(json_t *frame, const struct buf *words) {
    json_t *text = words->failed ? NULL : json_stringn(words->data ? words->data : "", words->len);
    if (!text) {
        text = json_string("Error: the tool answered with characters that are not Unicode text");
        (void)json_object_set_new(frame, "error", json_string("encoding"));
    }
    const char *same = json_string_value(json_object_get(frame, "same"));
    if (same)
        (void)json_object_set(json_object_get(frame, "data"), same, text);
    (void)json_object_set_new(frame, "text", text);
}

static void end_frame_with_words(struct link *link) {
    json_t *frame = link->frame;
    link->frame = NULL;
    give_words(frame, &link->words);
    buf_free(&link->words);
    link->take(link->data, frame);
}

static void end_strange_talk(struct link *link) {
    end_talk(link, "Emacs has sent what is no frame.  It may have been done or not");
}

static void await_words(struct link *link, json_t *frame, json_int_t n) {
    if (n < 0 || n > (json_int_t)FRAME_BYTES) {
        json_decref(frame);
        end_strange_talk(link);
        return;
    }
    link->frame = frame;
    link->missing = (size_t)n;
    if (!n)
        end_frame_with_words(link);
}

/* A frame_taker. */
static void take_frame(void *data, const char *text, size_t n) {
    struct link *link = data;
    json_t *frame = text ? json_loadb(text, n, JSON_ALLOW_NUL, NULL) : NULL;
    const json_t *words = json_object_get(frame, "words");
    if (!json_is_object(frame))
        end_strange_talk(link);
    else if (link->state == LINK_SHAKING) /* only this thread writes it then */
        take_greeting(link, frame);
    else if (words) {
        await_words(link, frame, json_is_integer(words) ? json_integer_value(words) : -1);
        return;
    } else {
        link->take(link->data, frame);
        return;
    }
    json_decref(frame);
}

/* Each takes some of the N BYTES, and returns how many. */

static size_t feed_words(struct link *link, const char *bytes, size_t n) {
    size_t piece = n < link->missing ? n : link->missing;
    buf_add(&link->words, bytes, piece);
    link->missing -= piece;
    if (!link->missing)
        end_frame_with_words(link);
    return piece;
}

static size_t feed_line(struct link *link, const char *bytes, size_t n) {
    const char *newline = memchr(bytes, '\n', n);
    size_t piece = newline ? (size_t)(newline - bytes) + 1 : n;
    frames_feed(&link->in, bytes, piece, take_frame, link);
    return piece;
}

void link_feed(struct link *link, const char *bytes, size_t n) {
    for (size_t fed = 0; fed < n;)
        fed += (link->frame ? feed_words : feed_line)(link, bytes + fed, n - fed);
    confirm_bytes(link, n);
}

void link_drop(struct link *link) {
    buf_free(&link->in.line);
    buf_free(&link->words);
    json_decref(link->frame);
    link->frame = NULL;
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
    link_drop(link);
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
