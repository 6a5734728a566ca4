/* answering.c -- many questions at once, long answers beside short ones, and windows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "served.h"

#include "child.h"
#include "deflated.h"
#include "files.h"
#include "processes.h"
#include "serve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define GREP "{'op': 'grep_files', 'args': {'pattern': 'needle', 'limit': 1000000}}"

/* Frames come as the wires have them. */
static int byte_by_byte(struct served *s) {
    char *options = options_of(s);
    struct buf all = {0};
    s->far = far_start();
    frame_print(&all, FRAME_HELLO, 0, 0, "{\"protocol\": 1, \"format\": \"json\"}", 33);
    frame_print(&all, FRAME_OPEN, 1, 1, options, strlen(options));
    frame_print(&all, FRAME_CALL, 2, 1, "{\"op\": \"get_project_root\"}", 26);
    for (size_t i = 0; i < all.len; i++)
        mcp_send_bytes(s->far->pipes, all.data + i, 1);
    CHILD_CHECK(answers(s, 2, s->root));
    CHILD_CHECK(answers(s, 1, "\"root\""));
    buf_free(&all);
    free(options);
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* A question to a workspace before it is there waits for it, or learns that it never comes. */
static int before_it_is_open(struct served *s) {
    char *options = options_of(s);
    s->far = far_greet("sexp", "");
    for (uint64_t i = 1; i <= 3; i++) {
        const char *with = i == 2 ? "{\"root\": \"/nonexistent/x\"}" : options;
        uint64_t opened = far_ask(s->far, FRAME_OPEN, i, with, strlen(with));
        uint64_t asked = far_ask(s->far, FRAME_CALL, i, "{\"op\": \"get_project_root\"}", 26);
        CHILD_CHECK(answers(s, asked, i == 2 ? "unknown-workspace" : s->root));
        CHILD_CHECK(answers(s, opened, i == 2 ? ":not-found" : ":root"));
    }
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_OPEN, 2, options, strlen(options)), ":root"));
    free(options);
    CHILD_CHECK(ends_well(s));
    return 0;
}

static int many_at_once(struct served *s) {
    enum { ROUNDS = 20, AT_ONCE = 50 };
    serve_project(s, "");
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t ids[AT_ONCE];
        for (int i = 0; i < AT_ONCE; i++)
            ids[i] = ask_far(s, FRAME_CALL, "{'op': 'read_file', 'args': {'path': 'a.txt'}}");
        for (int i = AT_ONCE; i-- > 0;)
            CHILD_CHECK(answers(s, ids[i], "one\ntwo"));
    }
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* Takes frames until one is for ID, and counts what the others bring to OTHER. */
static size_t bytes_until(struct served *s, uint64_t id, uint64_t other) {
    size_t bytes = 0;
    for (struct far_frame *frame; (frame = far_receive(s->far)) != NULL;) {
        bool is_it = frame->head.id == id;
        bytes += frame->head.id == other ? frame->payload.len : 0;
        far_frame_free(frame);
        if (is_it)
            break;
    }
    return bytes;
}

/* A stream whose window is used up waits; short calls are answered; then all of it comes. */
static int windows(struct served *s) {
    enum { WINDOW = 50000, MORE = 70000 };
    make_needles(s, 8, 3000);
    serve_project(s, ", \"window\": 50000");
    uint64_t stream = ask_far(s, FRAME_STREAM, GREP);
    size_t got = 0;
    while (got < WINDOW) {
        uint64_t ping = ask_far(s, FRAME_PING, "");
        got += bytes_until(s, ping, stream);
    }
    CHILD_CHECK(got == WINDOW);
    for (int i = 0; i < 20; i++) {
        uint64_t id = ask_far(s, FRAME_CALL, "{'op': 'read_file', 'args': {'path': 'a.txt'}}");
        CHILD_CHECK(bytes_until(s, id, stream) == 0);
    }
    far_send(s->far, FRAME_MORE, stream, MORE, "");
    while (got < WINDOW + MORE) {
        uint64_t ping = ask_far(s, FRAME_PING, "");
        got += bytes_until(s, ping, stream);
    }
    CHILD_CHECK(got == WINDOW + MORE);
    far_send(s->far, FRAME_MORE, stream, 1 << 30, "");
    CHILD_CHECK(answers(s, stream, ":files 8"));
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* Until the server has done all that it can do before this client reads. */
static void await_rest(const struct served *s) {
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int looks = 0; looks < 20; looks = process_is_asleep(s->far->pipes->pid) ? looks + 1 : 0)
        (void)nanosleep(&pause, NULL);
}

/* Behind a long answer that flows, a short one has its turn. */
static int in_turns(struct served *s) {
    make_needles(s, 8, 3000);
    serve_project(s, ", \"window\": 1073741824");
    uint64_t stream = ask_far(s, FRAME_STREAM, GREP);
    far_frame_free(far_receive(s->far));
    uint64_t ask = ask_far(s, FRAME_CALL, "{'op': 'read_file', 'args': {'path': 'a.txt'}}");
    await_rest(s);
    size_t before = bytes_until(s, ask, stream);
    size_t all = before;
    for (struct far_frame *frame; (frame = far_receive(s->far)) != NULL;) {
        bool last = frame->head.kind == FRAME_REPLY && frame->head.argument == 1;
        all += frame->payload.len;
        far_frame_free(frame);
        if (last)
            break;
    }
    CHILD_CHECK(all > (size_t)1 << 20);
    CHILD_CHECK(before < all / 2); /* what the pipe held when it was asked, and some */
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* Nobody gives a stream more room: cancelling ends it all the same, and so does closing. */
static int cancelled(struct served *s) {
    make_needles(s, 8, 3000);
    serve_project(s, ", \"window\": 10");
    for (int i = 0; i < 4; i++) {
        uint64_t stream = ask_far(s, FRAME_STREAM, GREP);
        far_frame_free(far_receive(s->far));
        far_send(s->far, FRAME_CANCEL, stream, 0, "");
        CHILD_CHECK(answers(s, stream, ":cancelled"));
    }
    uint64_t stream = ask_far(s, FRAME_STREAM, GREP);
    far_frame_free(far_receive(s->far));
    uint64_t close = far_ask(s->far, FRAME_CLOSE, 1, "", 0);
    CHILD_CHECK(answers(s, stream, ":cancelled"));
    CHILD_CHECK(answers(s, close, ""));
    CHILD_CHECK(
        answers(s, ask_far(s, FRAME_CALL, "{'op': 'get_project_root'}"), "unknown-workspace"));
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* A client that reads nothing, and gives all the room there is: the server keeps little, and goes
 * on hearing it.  When it reads, it has all answers. */
static int not_read(struct served *s) {
    enum { CALLS = 60 };
    make_needles(s, 8, 3000);
    serve_project(s, ", \"window\": 1073741824");
    uint64_t ids[CALLS];
    for (int i = 0; i < CALLS; i++)
        ids[i] = ask_far(s, i % 2 ? FRAME_STREAM : FRAME_CALL, GREP);
    for (int i = 0; i < CALLS; i += 3)
        far_send(s->far, FRAME_CANCEL, ids[i], 0, "");
    for (int i = 0; i < 3000; i++)
        far_send(s->far, FRAME_PING, 5, 0, "");
    CHILD_CHECK(answers(s, ids[0], ":"));
    for (int i = 1; i < CALLS; i++)
        CHILD_CHECK(answers(s, ids[i], i % 3 ? ":files 8" : ":"));
    CHILD_CHECK(process_peak_kb(s->far->pipes->pid) < 600000);
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* The stream and the reply have together what the reply has without a stream. */
static int streamed_whole(struct served *s) {
    make_needles(s, 2, 300);
    serve_project(s, ", \"window\": 77");
    uint64_t stream = ask_far(s, FRAME_STREAM, GREP);
    size_t data = 0, items = 0;
    for (bool last = false; !last;) {
        struct far_frame *frame = far_receive(s->far);
        CHILD_CHECK(frame && frame->head.id == stream);
        last = frame->head.kind == FRAME_REPLY && frame->head.argument == 1;
        data += frame->head.kind == FRAME_ITEM && frame->head.argument == 1;
        const char *at = frame->head.kind == FRAME_ITEM ? frame->payload.data : NULL;
        for (; at && (at = strstr(at, ":line ")) != NULL; at++)
            items++;
        far_send(s->far, FRAME_MORE, stream, 100000, "");
        far_frame_free(frame);
    }
    CHILD_CHECK(data >= 1);
    CHILD_CHECK(items > 500); /* of 600: a piece may end in the middle of the word */
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* The bytes of the pieces of the answer to ID, as they came; *END tells how its last one ends. */
static struct buf answer_as_sent(struct served *s, uint64_t id, uint64_t *end) {
    struct buf sent = {0};
    for (*end = PIECE_GOES_ON; *end == PIECE_GOES_ON;) {
        struct far_frame *frame = far_frame_for(s->far, id);
        buf_add(&sent, frame->payload.data ? frame->payload.data : "", frame->payload.len);
        *end = frame->head.kind == FRAME_REPLY ? frame->head.argument : PIECE_GOES_ON;
        far_frame_free(frame);
    }
    return sent;
}

/* A long answer is a tenth on the way, and the same; a short one is sent as it is. */
static int deflated(struct served *s) {
    uint64_t end;
    make_needles(s, 8, 300);
    serve_project(s, ", \"window\": 1073741824");
    struct buf whole = answer_as_sent(s, ask_far(s, FRAME_CALL, GREP), &end);
    CHILD_CHECK(end == PIECE_ENDS && ends_well(s));
    serve_project(s, ", \"window\": 1073741824, \"deflate\": true");
    struct buf sent = answer_as_sent(s, ask_far(s, FRAME_CALL, GREP), &end), same = {0};
    CHILD_CHECK(end == PIECE_ENDS_DEFLATED && sent.len < whole.len / 10);
    CHILD_CHECK(inflate_all(sent.data, sent.len, whole.len, &same));
    CHILD_CHECK(same.len == whole.len && memcmp(same.data, whole.data, whole.len) == 0);
    buf_free(&sent);
    sent = answer_as_sent(s, ask_far(s, FRAME_CALL, "{'op': 'get_project_root'}"), &end);
    CHILD_CHECK(end == PIECE_ENDS && strstr(sent.data, s->root));
    CHILD_CHECK(ends_well(s));
    buf_free(&whole);
    buf_free(&sent);
    buf_free(&same);
    return 0;
}

/* It is no smaller for it: sent as it is. */
static int noise_is_not_deflated(struct served *s) {
    struct buf noise = {0};
    uint64_t end;
    for (unsigned i = 0, seed = 1; i < 100000; i++, seed = seed * 1103515245U + 12345U)
        buf_char(&noise, (char)((seed >> 16) % 255 + 1));
    make_file(served_file(s, "noise"), noise.data);
    serve_project(s, ", \"window\": 1073741824, \"deflate\": true");
    struct buf sent = answer_as_sent(
        s, ask_far(s, FRAME_CALL, "{'op': 'read_bytes', 'args': {'path': 'noise'}}"), &end);
    CHILD_CHECK(end == PIECE_ENDS && sent.len > noise.len);
    CHILD_CHECK(ends_well(s));
    buf_free(&noise);
    buf_free(&sent);
    return 0;
}

/* A long reply is sent while it is written.  If its call is cancelled then, what came is void, and
 * the answer is an error. */
static int cancelled_early(struct served *s) {
    for (int i = 0; i < 9000; i++) {
        char name[60];
        (void)snprintf(name, sizeof name, "a-file-with-a-rather-long-name-%d", i);
        make_file(served_file(s, name), "");
    }
    serve_project(s, ", \"window\": 1");
    int voids = 0;
    for (int i = 0; i < 300 && voids == 0; i++) {
        bool is_void = false, last = false;
        struct buf reply = {0};
        uint64_t id = ask_far(s, FRAME_CALL,
                              "{'op': 'search_files', 'args': {'pattern': '**', 'limit': 100000}}");
        far_frame_free(far_frame_for(s->far, id)); /* its first byte */
        far_send(s->far, FRAME_CANCEL, id, 0, "");
        while (!last) {
            struct far_frame *frame = far_frame_for(s->far, id);
            is_void = is_void || frame->head.argument == PIECE_VOID;
            if (is_void && frame->head.argument != PIECE_VOID)
                buf_add(&reply, frame->payload.data, frame->payload.len);
            last = piece_is_last((enum piece_end)frame->head.argument);
            far_frame_free(frame);
        }
        CHILD_CHECK(!is_void || strstr(reply.data, "(:error :cancelled") == reply.data);
        voids += is_void;
        buf_free(&reply);
    }
    CHILD_CHECK(voids > 0);
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* Each result of a stream is whole by itself, deflated or not, also through a small window. */
static int deflated_stream(struct served *s) {
    struct buf items = {0}, one = {0};
    make_needles(s, 8, 300);
    serve_project(s, ", \"window\": 20000, \"deflate\": true");
    uint64_t stream = ask_far(s, FRAME_STREAM, GREP);
    size_t small = 0;
    for (bool last = false; !last;) {
        struct far_frame *frame = far_frame_for(s->far, stream);
        const uint64_t end = frame->head.argument;
        last = frame->head.kind == FRAME_REPLY && end != PIECE_GOES_ON;
        buf_add(&one, frame->payload.data ? frame->payload.data : "", frame->payload.len);
        if (end == PIECE_ENDS_DEFLATED)
            CHILD_CHECK(inflate_all(one.data, one.len, SIZE_MAX, &items));
        else if (end == PIECE_ENDS)
            buf_add(&items, one.data, one.len);
        small += end == PIECE_ENDS_DEFLATED;
        if (end != PIECE_GOES_ON)
            buf_clear(&one);
        far_send(s->far, FRAME_MORE, stream, frame->payload.len, "");
        far_frame_free(frame);
    }
    size_t lines = 0;
    for (const char *at = items.data; at && (at = strstr(at, ":line ")) != NULL; at++)
        lines++;
    CHILD_CHECK(small > 0 && lines == 2400 && strstr(items.data, ":files 8"));
    CHILD_CHECK(ends_well(s));
    buf_free(&items);
    buf_free(&one);
    return 0;
}

const struct serve_case answer_cases[] = {{"answers/byte-by-byte", byte_by_byte},
                                          {"answers/before-it-is-open", before_it_is_open},
                                          {"answers/many-at-once", many_at_once},
                                          {"answers/windows", windows},
                                          {"answers/in-turns", in_turns},
                                          {"answers/cancelled", cancelled},
                                          {"answers/streamed-whole", streamed_whole},
                                          {"answers/not-read", not_read},
                                          {"answers/deflated", deflated},
                                          {"answers/noise-is-not-deflated", noise_is_not_deflated},
                                          {"answers/deflated-stream", deflated_stream},
                                          {"answers/cancelled-early", cancelled_early},
                                          {NULL, NULL}};
