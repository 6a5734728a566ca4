/* far.c -- `agent-q-fs serve`, spoken to in frames through pipes: see far.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "far.h"

#include "child.h"
#include "deflated.h"
#include "die.h"
#include "own_file.h"
#include "serve.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct far *far_start(void) {
    struct far *f = calloc(1, sizeof *f);
    if (!f)
        die_of("calloc");
    f->pipes = program_start("serve", (const char *const[]){NULL}, -1);
    f->reader.most = (size_t)1 << 20;
    return f;
}

struct far *far_greet(const char *format, const char *more) {
    struct far *f = far_start();
    char hello[300];
    (void)snprintf(hello, sizeof hello, "{\"protocol\": 1, \"format\": \"%s\"%s}", format, more);
    /* Not before the server has spoken: until then, a terminal might echo. */
    struct far_frame *theirs = far_receive(f);
    if (!theirs || theirs->head.kind != FRAME_HELLO)
        die("agent-q-fs serve said no hello");
    far_send(f, FRAME_HELLO, 0, 0, hello);
    far_frame_free(theirs);
    return f;
}

/* -- frames ------------------------------------------------------------------------------------ */

void far_send_bytes(struct far *f, enum frame_kind kind, uint64_t id, uint64_t argument,
                    const char *payload, size_t n) {
    struct buf out = {0};
    frame_print(&out, kind, id, argument, payload, n);
    int problem = write_whole(f->pipes->in, out.data, out.len, WRITE_ON);
    buf_free(&out);
    if (problem && problem != EPIPE) /* a server that has ended needs no more */
        die("writing to agent-q-fs serve: %s", strerror(problem));
}

void far_send(struct far *f, enum frame_kind kind, uint64_t id, uint64_t argument,
              const char *payload) {
    far_send_bytes(f, kind, id, argument, payload, strlen(payload));
}

static void append_frame(struct far_frame **list, struct far_frame *frame) {
    while (*list)
        list = &(*list)->next;
    *list = frame;
    frame->next = NULL;
}

static void keep_frame(void *far, const struct frame_head *head, struct buf *payload) {
    struct far *f = far;
    struct far_frame *frame = calloc(1, sizeof *frame);
    if (!frame)
        die_of("calloc");
    frame->head = *head;
    frame->payload = *payload;
    *payload = (struct buf){0};
    append_frame(&f->come, frame);
}

/* The begin of a line that is the head of a hello, in what a login printed before; NULL if it is
 * not there yet. */
static const char *hello_in(const struct buf *said) {
    static const char begin[] = "hello 0 0 ";
    const char *at = said->data;
    for (; (at = strstr(at, begin)) != NULL; at++) {
        size_t digits = strspn(at + sizeof begin - 1, "0123456789");
        if ((at == said->data || at[-1] == '\n') && digits > 0 &&
            at[sizeof begin - 1 + digits] == '\n')
            return at;
    }
    return NULL;
}

static void take_bytes(struct far *f, const char *bytes, size_t n) {
    if (!f->heard) {
        buf_add(&f->chatter, bytes, n);
        const char *hello = hello_in(&f->chatter);
        if (!hello)
            return;
        f->heard = true;
        bytes = hello;
        n = f->chatter.len - (size_t)(hello - f->chatter.data);
    }
    if (!frame_reader_feed(&f->reader, bytes, n, keep_frame, f))
        die("agent-q-fs serve wrote what is no frame: %s", f->reader.fault);
}

struct far_frame *far_receive(struct far *f) {
    static char piece[65536];
    while (!f->come) {
        ssize_t n = read(f->pipes->out, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        f->ended = n <= 0;
        if (f->ended)
            return NULL;
        take_bytes(f, piece, (size_t)n);
    }
    struct far_frame *frame = f->come;
    f->come = frame->next;
    return frame;
}

void far_frame_free(struct far_frame *frame) {
    if (frame)
        buf_free(&frame->payload);
    free(frame);
}

/* -- questions --------------------------------------------------------------------------------- */

uint64_t far_ask(struct far *f, enum frame_kind kind, uint64_t workspace, const char *payload,
                 size_t n) {
    uint64_t id = ++f->next_id;
    far_send_bytes(f, kind, id, workspace, payload, n);
    return id;
}

static struct far_frame *take_held(struct far *f, uint64_t id) {
    struct far_frame **at = &f->held;
    while (*at && (*at)->head.id != id)
        at = &(*at)->next;
    struct far_frame *frame = *at;
    if (frame)
        *at = frame->next;
    return frame;
}

struct far_frame *far_frame_for(struct far *f, uint64_t id) {
    struct far_frame *frame = take_held(f, id);
    for (; !frame || frame->head.id != id; frame = far_receive(f)) {
        if (frame)
            append_frame(&f->held, frame);
        else if (f->ended)
            die("agent-q-fs serve ended before it answered %llu", (unsigned long long)id);
    }
    return frame;
}

static void inflate_answer(struct buf *whole) {
    struct buf small = *whole;
    *whole = (struct buf){0};
    if (!inflate_all(small.data, small.len, SIZE_MAX, whole))
        die("agent-q-fs serve sent a deflated answer that is none");
    buf_free(&small);
}

struct buf far_answer(struct far *f, uint64_t id) {
    struct buf whole = {0};
    for (bool last = false; !last;) {
        struct far_frame *frame = far_frame_for(f, id);
        bool error = frame->head.kind == FRAME_ERROR;
        const enum piece_end end = (enum piece_end)frame->head.argument;
        last = error || (frame->head.kind == FRAME_REPLY && piece_is_last(end));
        if (error || frame->head.kind == FRAME_REPLY)
            buf_add(&whole, frame->payload.data ? frame->payload.data : "", frame->payload.len);
        if (frame->head.kind == FRAME_REPLY && end == PIECE_VOID)
            buf_free(&whole);
        if (frame->head.kind == FRAME_REPLY && end == PIECE_ENDS_DEFLATED)
            inflate_answer(&whole);
        if (!last && !f->has_room)
            far_send(f, FRAME_MORE, id, frame->payload.len, "");
        far_frame_free(frame);
    }
    return whole;
}

int far_end(struct far *f) {
    struct far_frame *frame;
    int in = f->pipes->in, out = f->pipes->out;
    if (in >= 0 && out >= 0 && f->says_bye)
        far_send(f, FRAME_BYE, 0, 0, ""); /* a terminal has no end */
    else if (in >= 0)
        (void)close(in);
    f->pipes->in = f->says_bye ? in : -1;
    while (out >= 0 && (frame = far_receive(f)) != NULL)
        far_frame_free(frame);
    while ((frame = f->held) != NULL) {
        f->held = frame->next;
        far_frame_free(frame);
    }
    frame_reader_free(&f->reader);
    buf_free(&f->chatter);
    int status = mcp_end(f->pipes);
    free(f);
    return status;
}
