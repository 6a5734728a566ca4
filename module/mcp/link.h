/* link.h -- a connection to a running Emacs, which comes back by itself.
 *
 * Frames are JSON objects, one a line.  This program sends
 *
 *     {"hello": 1, "version": V, "directory": D, "options": {...}, "tools": NAMES, "data": BOOLEAN}
 *     {"call": N, "tool": NAME, "arguments": {...}, "client": NAME, "quiet": BOOLEAN,
 *      "progress": BOOLEAN}
 *     {"cancel": N}
 *     {"got": BYTES}
 *
 * and Emacs, whose end is agent-q-fs-mcp.el,
 *
 *     {"hello": 1, "root": PATH, "tools": [...]}, or {"refused": WORDS}
 *     {"progress": N, "done": NUMBER}
 *     {"end": N, "words": BYTES, "data": {...}, "same": KEY, "error": CODE}, or
 *     {"end": N, "unknown": WORDS}
 *
 * Behind the newline of a frame with "words" come that many bytes of text, UTF-8 without quotes: as
 * JSON, Emacs would take longer over them than over the call.  "same" is a member of the data that
 * has these words, too.
 *
 * Emacs sends no more than a window of bytes that are not confirmed by "got": so it never waits for
 * a reader.  With "quiet", nobody is asked; with "progress", Emacs says
 * how far the call is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LINK_H
#define AQFS_LINK_H

#include "frame.h"
#include "outbox.h"
#include "reply.h"

#include <jansson.h>
#include <pthread.h>

#define LINK_PROTOCOL 2

enum link_state { LINK_DOWN, LINK_SHAKING, LINK_UP };

struct link {
    const char *socket; /* as it was given, or NULL */
    json_t *hello;      /* the first frame */
    /* On the link's thread: a frame has come, which is taken over, with its words as "text", or
     * Emacs has answered the hello.  The latter returns NULL, or in words why it is not served. */
    void (*take)(void *data, json_t *frame);
    const char *(*greet)(void *data, const json_t *frame);
    /* On the link's thread: the connection has ended. */
    void (*lost)(void *data);
    void *data;

    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum link_state state; /* guarded by lock, as all below */
    struct error problem;  /* why it is down */
    struct outbox out;
    unsigned long tries; /* that have ended */
    int fd;
    bool wanted, ending;
    struct frames in; /* of the link's thread, as all below */
    size_t unconfirmed;
    json_t *frame; /* one whose words have not all come, or NULL */
    struct buf words;
    size_t missing;
};

/* Starts the thread; false without one.  The members above `thread` are set, the others 0. */
bool link_open(struct link *link);
void link_close(struct link *link);

/* Waits until Emacs serves, SECONDS at most; tries at once to connect.  False and *E if not. */
bool link_wait(struct link *link, int seconds, struct error *e);

/* Does Emacs serve now? */
bool link_is_up(struct link *link);

/* On the link's thread: N BYTES have come from Emacs. */
void link_feed(struct link *link, const char *bytes, size_t n);
/* On the link's thread: drops what has come of a frame. */
void link_drop(struct link *link);

/* Takes over FRAME, a whole line, for Emacs; false if it is not connected. */
bool link_send(struct link *link, struct buf *frame);

#endif
