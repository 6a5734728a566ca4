/* ends.c -- connections that end, and what is left of what was begun.
 *
 * SPDX-License-Identifier: MIT
 */
#include "served.h"

#include "child.h"
#include "files.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define GREP "{'op': 'grep_files', 'args': {'pattern': 'needle', 'limit': 1000000}}"
#define EDIT                                                                                       \
    "{'op': 'edit_file', 'authority': 'cautious', 'args': {'path': 'a.txt', 'old_str': 'one', "    \
    "'new_str': 'three'}}"

/* After bye, what was begun is answered, nothing else is begun, and bye is said last. */
static int by_bye(struct served *s) {
    make_needles(s, 4, 3000);
    serve_project(s, "");
    uint64_t read =
        ask_far(s, FRAME_CALL, "{'op': 'read_file', 'args': {'path': 'needles/0.txt'}}");
    uint64_t edit = ask_far(s, FRAME_CALL, EDIT);
    far_send(s->far, FRAME_BYE, 0, 0, "");
    CHILD_CHECK(answers(s, ask_far(s, FRAME_CALL, EDIT), "leaving"));
    CHILD_CHECK(answers(s, edit, "a.txt"));
    CHILD_CHECK(answers(s, read, "needle 1999"));
    struct far_frame *frame = far_frame_for(s->far, 0);
    CHILD_CHECK(frame->head.kind == FRAME_BYE);
    far_frame_free(frame);
    CHILD_CHECK(ends_well(s));
    CHILD_CHECK(strcmp(text_of(served_file(s, "a.txt")), "three\ntwo\n") == 0);
    return 0;
}

/* A client that says bye and ends at once: what it asked for is done. */
static int by_bye_and_end(struct served *s) {
    serve_project(s, "");
    (void)ask_far(s, FRAME_CALL, EDIT);
    far_send(s->far, FRAME_BYE, 0, 0, "");
    CHILD_CHECK(ends_well(s));
    CHILD_CHECK(strcmp(text_of(served_file(s, "a.txt")), "three\ntwo\n") == 0);
    return 0;
}

/* Both pipes end while a stream waits for room: the server ends, too. */
static int by_losing_the_client(struct served *s) {
    make_needles(s, 8, 3000);
    for (int i = 0; i < 2; i++) {
        serve_project(s, ", \"window\": 10");
        (void)ask_far(s, FRAME_STREAM, GREP);
        far_frame_free(far_receive(s->far));
        int *ends[] = {&s->far->pipes->in, &s->far->pipes->out};
        (void)close(*ends[i]); /* the one that is left open tells nothing */
        *ends[i] = -1;
        CHILD_CHECK(ends_well(s));
    }
    return 0;
}

/* The connection ends at any moment of an edit: the file is the old or the new one, nothing is left
 * beside it, and the next server goes on from there. */
static int in_an_edit(struct served *s) {
    enum { CUTS = 40 };
    int done = 0;
    for (int i = 0; i < CUTS; i++) {
        const struct timespec moment = {.tv_nsec = i * 25000};
        make_file(served_file(s, "a.txt"), "one\ntwo\n");
        serve_project(s, "");
        (void)ask_far(s, FRAME_CALL, EDIT);
        (void)nanosleep(&moment, NULL);
        if (i % 2)
            (void)kill(s->far->pipes->pid, SIGKILL);
        bool well = ends_well(s);
        CHILD_CHECK(well || i % 2);
        serve_project(s, "");
        CHILD_CHECK(answers(s, ask_far(s, FRAME_CALL, "{'op': 'get_project_root'}"), s->root));
        CHILD_CHECK(ends_well(s));
        const char *text = text_of(served_file(s, "a.txt"));
        bool is_new = strcmp(text, "three\ntwo\n") == 0;
        CHILD_CHECK(is_new || strcmp(text, "one\ntwo\n") == 0);
        done += is_new;
        struct names names = names_below(s->root);
        CHILD_CHECK(names.n == 1);
        free_names(&names);
    }
    printf("  %d of %d edits were done\n", done, CUTS);
    return 0;
}

static int by_a_signal(struct served *s) {
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        serve_project(s, "");
        (void)kill(s->far->pipes->pid, signals[i]);
        CHILD_CHECK(far_receive(s->far) == NULL);
        CHILD_CHECK(ends_well(s));
    }
    return 0;
}

/* A client that has nothing to say says so now and then; one that is silent is gone. */
static int by_silence(struct served *s) {
    serve_project(s, ", \"keep_alive\": 1");
    const struct timespec while_ = {.tv_nsec = 400000000};
    for (int i = 0; i < 4; i++) {
        (void)nanosleep(&while_, NULL);
        far_send(s->far, FRAME_PING, 5, 0, "");
        struct far_frame *frame = far_receive(s->far);
        CHILD_CHECK(frame && frame->head.kind == FRAME_PONG && frame->head.id == 5);
        far_frame_free(frame);
    }
    CHILD_CHECK(far_receive(s->far) == NULL);
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* A session's directory is the server's, and ends with it. */
static int with_a_session(struct served *s) {
    char *sessions = path_of("%s/sessions", s->base);
    make_directory(sessions);
    char *options = path_of("{\"backend\": \"session\", \"temp_dir\": \"%s\"}", sessions);
    s->far = far_greet("sexp", "");
    uint64_t opened = far_ask(s->far, FRAME_OPEN, 1, options, strlen(options));
    CHILD_CHECK(answers(s, opened, ":root"));
    CHILD_CHECK(answers(s,
                        ask_far(s, FRAME_CALL,
                                "{'op': 'write_file', 'authority': 'dangerous', "
                                "'args': {'path': 'x', 'content': 'y'}}"),
                        ":path \"x\""));
    CHILD_CHECK(ends_well(s));
    struct names names = names_below(sessions);
    for (size_t i = 0; i < names.n; i++)
        CHILD_CHECK(!strstr(names.names[i], "/x"));
    free_names(&names);
    free(options);
    free(sessions);
    return 0;
}

const struct serve_case end_cases[] = {{"ends/by-bye", by_bye},
                                       {"ends/by-bye-and-end", by_bye_and_end},
                                       {"ends/by-losing-the-client", by_losing_the_client},
                                       {"ends/in-an-edit", in_an_edit},
                                       {"ends/by-a-signal", by_a_signal},
                                       {"ends/by-silence", by_silence},
                                       {"ends/with-a-session", with_a_session},
                                       {NULL, NULL}};
