/* commands.c -- commands of a client: what they print, and that none outlives its connection.
 *
 * SPDX-License-Identifier: MIT
 */
#include "served.h"

#include "child.h"
#include "files.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void add_word_record(struct buf *out, const char *word, const char *body) {
    buf_printf(out, "%s %zu\n%s", word, strlen(body), body);
}

/* Has COMMAND run by a shell in the project, with the variables NAMES of the server. */
static uint64_t run_far(struct served *s, const char *names, const char *command) {
    struct buf request = {0};
    buf_str(&request, names);
    add_word_record(&request, "directory", s->root);
    add_word_record(&request, "window", "65536 16384");
    add_word_record(&request, "word", "/bin/sh");
    add_word_record(&request, "word", "-c");
    add_word_record(&request, "word", command);
    add_word_record(&request, "start", "");
    uint64_t id = far_ask(s->far, FRAME_RUN, strlen(names), request.data, request.len);
    buf_free(&request);
    return id;
}

static bool has_part(const struct buf *all, const char *part) {
    return all->data && strstr(all->data, part);
}

/* What ID answers until PART is in it, or to its end where PART is NULL. */
static struct buf heard_until(struct served *s, uint64_t id, const char *part) {
    struct buf all = {0};
    for (bool more = true; more;) {
        struct far_frame *frame = far_frame_for(s->far, id);
        if (!frame)
            break;
        buf_add(&all, frame->payload.data ? frame->payload.data : "", frame->payload.len);
        more = frame->head.kind == FRAME_ITEM && !(part && has_part(&all, part));
        far_frame_free(frame);
    }
    return all;
}

/* Does the end of ID's answer have PART? */
static bool ends_with(struct served *s, uint64_t id, const char *part) {
    struct buf all = heard_until(s, id, NULL);
    bool has = has_part(&all, part);
    if (!has)
        printf("  %s: not in %s\n", part, all.data ? all.data : "nothing");
    buf_free(&all);
    return has;
}

static int runs(struct served *s) {
    (void)setenv("AQFS_TEST_ONE", "1", 1);
    (void)setenv("AQFS_OTHER", "2", 1);
    serve_project(s, "");
    uint64_t id = run_far(s, "PATH\nAQFS_TEST_*\n",
                          "echo \"<$AQFS_TEST_ONE$AQFS_OTHER>\"; cat a.txt; pwd; exit 3");
    struct buf all = heard_until(s, id, NULL);
    /* Its output comes in any number of records. */
    CHILD_CHECK(has_part(&all, "<1>\n") && has_part(&all, "one\ntwo\n"));
    CHILD_CHECK(has_part(&all, "exit 3 "));
    CHILD_CHECK(has_part(&all, s->root));
    buf_free(&all);
    /* Many beside each other, and calls in between. */
    uint64_t ids[20];
    for (int i = 0; i < 20; i++)
        ids[i] = run_far(s, "PATH\n", "sleep 0.1; echo done");
    CHILD_CHECK(answers(s, ask_far(s, FRAME_CALL, "{'op': 'get_project_root'}"), s->root));
    for (int i = 0; i < 20; i++)
        CHILD_CHECK(ends_with(s, ids[i], "done\n"));
    CHILD_CHECK(ends_well(s));
    return 0;
}

static int asked_to_end(struct served *s) {
    serve_project(s, "");
    uint64_t id =
        run_far(s, "PATH\n", "trap 'echo asked; exit 4' TERM; echo ready; sleep 600 & wait");
    struct buf all = heard_until(s, id, "ready\n");
    buf_free(&all);
    far_send(s->far, FRAME_INPUT, id, 1, "");
    all = heard_until(s, id, NULL);
    CHILD_CHECK(has_part(&all, "asked\n") && has_part(&all, "exit 4 "));
    buf_free(&all);
    far_send(s->far, FRAME_INPUT, id, 1, ""); /* it is over */
    id = run_far(s, "PATH\n", "trap '' TERM; echo ready; sleep 600");
    all = heard_until(s, id, "ready\n");
    buf_free(&all);
    far_send(s->far, FRAME_INPUT, id, 0, "");
    CHILD_CHECK(ends_with(s, id, "signal 9 "));
    CHILD_CHECK(ends_well(s));
    return 0;
}

static bool is_gone_soon(pid_t pid) {
    const struct timespec moment = {.tv_nsec = 5000000};
    for (int looks = 0; looks < 4000; looks++) {
        if (kill(pid, 0) != 0 && errno == ESRCH)
            return true;
        (void)nanosleep(&moment, NULL);
    }
    return false;
}

/* Begins a command that would stay, and returns the pid of what it has left in the background. */
static pid_t begin_lasting(struct served *s, uint64_t *id) {
    serve_project(s, "");
    *id = run_far(s, "PATH\n",
                  "trap '' TERM HUP; (trap '' TERM HUP; setsid sleep 600) & sleep 0.2; "
                  "echo \"pid $! .\"; sleep 600");
    struct buf all = heard_until(s, *id, " .");
    const char *pid = strstr(all.data ? all.data : "", "pid ");
    pid_t out = pid ? (pid_t)strtol(pid + 4, NULL, 10) : 0;
    buf_free(&all);
    return out;
}

static int none_outlives_its_connection(struct served *s) {
    uint64_t id;
    for (int round = 0; round < 3; round++) {
        pid_t pid = begin_lasting(s, &id);
        CHILD_CHECK(pid > 1 && kill(pid, 0) == 0);
        if (round == 1)
            (void)kill(s->far->pipes->pid, SIGKILL);
        if (round == 2)
            (void)kill(s->far->pipes->pid, SIGTERM);
        (void)close(s->far->pipes->in);
        (void)close(s->far->pipes->out);
        s->far->pipes->in = s->far->pipes->out = -1;
        CHILD_CHECK(is_gone_soon(pid));
        (void)far_end(s->far);
    }
    return 0;
}

static int cancelled_command(struct served *s) {
    uint64_t id;
    pid_t pid = begin_lasting(s, &id);
    CHILD_CHECK(pid > 1);
    far_send(s->far, FRAME_CANCEL, id, 0, "");
    CHILD_CHECK(is_gone_soon(pid));
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* Killed while much waits that it has not read: it ends, and so does its job. */
static int killed_while_it_reads_nothing(struct served *s) {
    enum { PIECES = 40, PIECE = 50000 };
    struct buf input = {0};
    for (int i = 0; i < PIECE; i++)
        buf_char(&input, 'x');
    serve_project(s, "");
    for (int round = 0; round < 2; round++) {
        uint64_t id = run_far(s, "PATH\n", "echo ready; sleep 600");
        struct buf all = heard_until(s, id, "ready\n"), record = {0};
        buf_free(&all);
        buf_printf(&record, "in %d\n%s", PIECE, input.data);
        for (int i = 0; i < PIECES; i++)
            far_send_bytes(s->far, FRAME_INPUT, id, 0, record.data, record.len);
        far_send(s->far, round ? FRAME_CANCEL : FRAME_INPUT, id, 0, "");
        buf_free(&record);
        all = heard_until(s, id, NULL);
        CHILD_CHECK(round || has_part(&all, "signal 9 "));
        buf_free(&all);
    }
    buf_free(&input);
    CHILD_CHECK(ends_well(s));
    return 0;
}

static int wrong_requests(struct served *s) {
    serve_project(s, "");
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_RUN, 50, "PATH\n", 5), "bad-run"));
    CHILD_CHECK(ends_with(s, far_ask(s->far, FRAME_RUN, 5, "PATH\n\001\002\003", 8), "refused"));
    CHILD_CHECK(ends_with(s, far_ask(s->far, FRAME_RUN, 0, "word 1\naoops 0\n", 15), "refused"));
    far_send(s->far, FRAME_INPUT, 77, 0, "in 1\nx");
    far_send(s->far, FRAME_INPUT, 77, 9, "");
    uint64_t id = run_far(s, "", "echo \"[$PATH]\"; sleep 600");
    struct buf all = heard_until(s, id, "]");
    CHILD_CHECK(has_part(&all, "[]") || has_part(&all, "[/")); /* a shell's own */
    buf_free(&all);
    far_send(s->far, FRAME_INPUT, id, 0, "no record at all, no record at all");
    CHILD_CHECK(ends_with(s, id, "refused"));
    CHILD_CHECK(ends_well(s));
    return 0;
}

const struct serve_case command_cases[] = {
    {"commands/runs", runs},
    {"commands/asked-to-end", asked_to_end},
    {"commands/none-outlives-its-connection", none_outlives_its_connection},
    {"commands/cancelled", cancelled_command},
    {"commands/killed-while-it-reads-nothing", killed_while_it_reads_nothing},
    {"commands/wrong", wrong_requests},
    {NULL, NULL}};
