/* wrong_frames.c -- bytes that are no frames, and frames that ask for what is not there (threat
 * 158).
 *
 * SPDX-License-Identifier: MIT
 */
#include "served.h"

#include "serve.h"

#include "child.h"
#include "die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sends BYTES to a new server that was greeted if GREETED: it names the fault and ends well. */
static bool is_refused(const char *bytes, size_t n, bool greeted, const char *name) {
    struct far *f = greeted ? far_greet("json", "") : far_start();
    mcp_send_bytes(f->pipes, bytes, n);
    struct far_frame *frame = far_receive(f);
    if (!greeted) {
        far_frame_free(frame);
        frame = far_receive(f);
    }
    bool told = frame && frame->head.kind == FRAME_ERROR && frame->head.id == 0 &&
                strstr(frame->payload.data, name);
    if (!told)
        printf("  %.40s: expected the error %s, came %s\n", bytes, name,
               frame ? frame->payload.data : "the end");
    far_frame_free(frame);
    told = told && far_receive(f) == NULL;
    return far_end(f) == 0 && told;
}

static int no_frames(struct served *s) {
    static const char *const wrong[][2] = {
        {"\n", "bad-header"},
        {"call\n", "bad-header"},
        {"call 1 1\n", "bad-header"},
        {"call 1 1 \n", "bad-header"},
        {"call 1 1 2 3\n", "bad-header"},
        {"call  1 1 2\n", "bad-header"},
        {" call 1 1 2\n", "bad-header"},
        {"call 1 1 2 \n", "bad-header"},
        {"call 1 1 2\r\n", "bad-header"},
        {"Call 1 1 2\n", "bad-header"},
        {"call -1 1 2\n", "bad-header"},
        {"call +1 1 2\n", "bad-header"},
        {"call 01 1 2\n", "bad-header"},
        {"call 1 0x1 2\n", "bad-header"},
        {"call 1 1 1e3\n", "bad-header"},
        {"call 1 1 1234567890123456\n", "bad-header"},
        {"call 1 1 99999999999999999999999999999999999999999999999999999\n", "bad-header"},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
         "bad-header"},
        {"{\"jsonrpc\": \"2.0\"}\n", "bad-header"},
        {"call 1 1 67108865\n", "too-long"},
        {"call 1 1 999999999999999\n", "too-long"},
        {"ping 1 0 0\nx", "bad-end"},
        {"ping 1 0 2\nabc\n", "bad-end"},
        {"colour 0 0 0\n\n", "unknown-kind"},
        {"reply 0 0 0\n\n", "unknown-kind"},
        {"hello 0 0 2\n{}\n", "bad-hello"},
    };
    (void)s;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHILD_CHECK(is_refused(wrong[i][0], strlen(wrong[i][0]), true, wrong[i][1]));
    CHILD_CHECK(is_refused("call\0 1 1 0\n\n", 13, true, "bad-header"));
    return 0;
}

static int no_hello(struct served *s) {
    static const char *const hellos[] = {
        "",
        "x",
        "[]",
        "{}",
        "{\"protocol\": 1}",
        "{\"protocol\": 2, \"format\": \"sexp\"}",
        "{\"protocol\": \"1\", \"format\": \"sexp\"}",
        "{\"protocol\": 1, \"format\": \"xml\"}",
        "{\"protocol\": 1, \"format\": 1}",
        "{\"protocol\": 1, \"format\": \"sexp\", \"window\": 0}",
        "{\"protocol\": 1, \"format\": \"sexp\", \"window\": 1073741825}",
        "{\"protocol\": 1, \"format\": \"sexp\", \"window\": null}",
        "{\"protocol\": 1, \"format\": \"sexp\", \"keep_alive\": -1}",
        "{\"protocol\": 1, \"format\": \"sexp\", \"keep_alive\": 86401}",
        "{\"protocol\": 1, \"format\": \"sexp\", \"deflate\": 1}",
        "{\"protocol\": 1, \"protocol\": 1, \"format\": \"sexp\"}",
        "{\"protocol\": 1, \"format\": \"sexp\"",
    };
    (void)s;
    CHILD_CHECK(is_refused("ping 1 0 0\n\n", 12, false, "no-hello"));
    CHILD_CHECK(is_refused("nonsense\n", 9, false, "bad-header"));
    for (size_t i = 0; i < sizeof hellos / sizeof *hellos; i++) {
        struct buf frame = {0};
        frame_print(&frame, FRAME_HELLO, 0, 0, hellos[i], strlen(hellos[i]));
        CHILD_CHECK(is_refused(frame.data, frame.len, false, "bad-hello"));
        buf_free(&frame);
    }
    return 0;
}

/* The fault of one question is told, and the next is served. */
static int wrong_questions(struct served *s) {
    serve_project(s, "");
    char *options = options_of(s);
    uint64_t id = far_ask(s->far, FRAME_CALL, 2, "{}", 2);
    CHILD_CHECK(answers(s, id, "unknown-workspace"));
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_CLOSE, 9, "", 0), "unknown-workspace"));
    CHILD_CHECK(
        answers(s, far_ask(s->far, FRAME_OPEN, 1, options, strlen(options)), "workspace-in-use"));
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_ITEM, 1, "", 0), "unknown-kind"));
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_OPEN, 3, "{\"colour\": 1}", 13), ":error"));
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_OPEN, 3, "\xff", 1), ":invalid-argument"));
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_OPEN, 3, "", 0), ":invalid-argument"));
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_CALL, 1, "", 0), ":invalid-argument"));
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_CALL, 1, "[", 1), ":invalid-argument"));
    CHILD_CHECK(answers(s, ask_far(s, FRAME_CALL, "{'op': 'nope'}"), ":unknown-operation"));
    far_send(s->far, FRAME_CANCEL, 77, 0, ""); /* of what was answered, or never asked */
    far_send(s->far, FRAME_MORE, 77, 5, "");
    far_send(s->far, FRAME_CALL, 0, 1, "{}");
    struct far_frame *frame = far_receive(s->far);
    CHILD_CHECK(frame && frame->head.id == 0 && strstr(frame->payload.data, "id-in-use"));
    far_frame_free(frame);
    CHILD_CHECK(answers(s, ask_far(s, FRAME_CALL, "{'op': 'get_project_root'}"), s->root));
    free(options);
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* More than the server does at once is refused by a name, and nothing of it is begun. */
static int too_much(struct served *s) {
    make_needles(s, 4, 3000);
    serve_project(s, ", \"window\": 1");
    uint64_t ids[SERVE_MOST_JOBS];
    for (size_t i = 0; i < SERVE_MOST_JOBS; i++)
        ids[i] = ask_far(s, FRAME_CALL, "{'op': 'read_file', 'args': {'path': 'needles/0.txt'}}");
    uint64_t beyond = ask_far(s, FRAME_CALL, "{'op': 'get_project_root'}");
    CHILD_CHECK(answers(s, beyond, "busy"));
    far_send(s->far, FRAME_CALL, ids[3], 1, "{}");
    for (size_t i = 0; i < SERVE_MOST_JOBS; i++) {
        far_send(s->far, FRAME_MORE, ids[i], 1 << 30, "");
        CHILD_CHECK(answers(s, ids[i], i == 3 ? "id-in-use" : "needle 1999"));
    }
    CHILD_CHECK(answers(s, ask_far(s, FRAME_CALL, "{'op': 'get_project_root'}"), s->root));
    static const char memory[] = "{\"backend\": \"memory\"}";
    for (uint64_t i = 2; i <= SERVE_MOST_JOBS; i++)
        CHILD_CHECK(answers(s, far_ask(s->far, FRAME_OPEN, i, memory, sizeof memory - 1), ":root"));
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_OPEN, 1000, memory, sizeof memory - 1),
                        "too-many-workspaces"));
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_CLOSE, 2, "", 0), ""));
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_OPEN, 1000, memory, sizeof memory - 1), ":root"));
    CHILD_CHECK(ends_well(s));
    return 0;
}

const struct serve_case wrong_frame_cases[] = {{"wrong/no-frames", no_frames},
                                               {"wrong/no-hello", no_hello},
                                               {"wrong/questions", wrong_questions},
                                               {"wrong/too-much", too_much},
                                               {NULL, NULL}};
