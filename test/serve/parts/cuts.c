/* cuts.c -- connections that are cut in the middle of changes, and what is told of them afterwards
 * (threat 159).
 *
 * The client connects again at once, under its own name, and asks which of its calls were done.
 * The disk must say the same, then and when the first server has ended.  Each fifth time the server
 * is killed as well.
 *
 * SPDX-License-Identifier: MIT
 */
#include "served.h"

#include "child.h"
#include "files.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FEW_CUTS 30
#define CLIENT ", \"client\": \"0123456789abcdef0123456789abcdef\""

static unsigned long cut_seed = 1;

static unsigned random_below(unsigned n) {
    cut_seed = cut_seed * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(cut_seed >> 33) % n;
}

/* The call of round I, which changes a.txt, or a.txt and b.txt, from "old I". */
static void print_change(char out[600], int i, const char *snapshot) {
    static const char *const changes[] = {
        "{'op': 'edit_file', 'authority': 'dangerous', 'caller': 'cuts', 'call': 'r%d', 'args': "
        "{'path': 'a.txt', 'old_str': 'old %d', 'new_str': 'new'}}",
        "{'op': 'apply_patch', 'authority': 'dangerous', 'caller': 'cuts', 'call': 'r%d', 'args': "
        "{'patch': '--- a/a.txt\\n+++ b/a.txt\\n@@ -1 +1 @@\\n-old %d\\n+new\\n"
        "--- a/b.txt\\n+++ b/b.txt\\n@@ -1 +1 @@\\n-old %d\\n+new\\n'}}",
        "{'op': 'snapshot_restore', 'authority': 'dangerous', 'caller': 'cuts', 'call': 'r%d', "
        "'args': {'id': '%s'}}"};
    int kind = i % 3;
    if (kind == 0)
        (void)snprintf(out, 600, changes[0], i, i);
    else if (kind == 1)
        (void)snprintf(out, 600, changes[1], i, i, i);
    else
        (void)snprintf(out, 600, changes[2], i, snapshot);
}

/* The files are old, or new; 2: anything else. */
static int state_after(const struct served *s, int i) {
    char old[40], a[40];
    (void)snprintf(old, sizeof old, "old %d\n", i);
    (void)snprintf(a, sizeof a, "%s", text_of(served_file(s, "a.txt")));
    const char *b = text_of(served_file(s, "b.txt"));
    if (strcmp(a, old) == 0 && strcmp(b, old) == 0)
        return 0;
    if (strcmp(a, "new\n") == 0 && strcmp(b, i % 3 == 0 ? old : "new\n") == 0)
        return 1;
    return 2;
}

static void cut_connection(struct far *f) {
    (void)close(f->pipes->in);
    (void)close(f->pipes->out);
    f->pipes->in = f->pipes->out = -1;
}

/* How often the call of round I is among those that were done. */
static int times_told(struct served *s, int i) {
    char call[40];
    int times = 0;
    (void)snprintf(call, sizeof call, ":call \"r%d\"", i);
    struct buf list =
        far_answer(s->far, ask_far(s, FRAME_CALL, "{'op': 'changes_list', 'args': {'limit': 3}}"));
    for (const char *at = list.data; (at = strstr(at, call)) != NULL; at++)
        times++;
    buf_free(&list);
    return times;
}

static int cut_round(struct served *s, int i, const char *snapshot, unsigned most_us, int *done) {
    char change[600], old[40];
    (void)snprintf(old, sizeof old, "old %d\n", i);
    make_file(served_file(s, "a.txt"), old);
    make_file(served_file(s, "b.txt"), old);
    print_change(change, i, snapshot);
    const struct timespec moment = {.tv_nsec = (long)random_below(most_us) * 1000};
    (void)ask_far(s, FRAME_CALL, change);
    (void)nanosleep(&moment, NULL);
    struct far *first = s->far;
    const bool killed = i % 5 == 4;
    if (killed)
        (void)kill(first->pipes->pid, SIGKILL);
    cut_connection(first);
    serve_project(s, CLIENT);
    int told = times_told(s, i), is_new = state_after(s, i);
    CHILD_CHECK(is_new < 2);
    /* Done once and told so, or not done at all.  A server that is killed may have had no time to
     * write down what it has done. */
    CHILD_CHECK(killed ? told <= is_new : told == is_new);
    CHILD_CHECK(killed ? was_killed(far_end(first)) : far_end(first) == 0);
    CHILD_CHECK(state_after(s, i) == is_new);
    struct names names = names_below(s->root);
    CHILD_CHECK(names.n == 2);
    free_names(&names);
    *done += is_new;
    return 0;
}

static char *snapshot_of(struct served *s) {
    struct buf reply = far_answer(
        s->far, ask_far(s, FRAME_CALL, "{'op': 'snapshot_create', 'authority': 'dangerous'}"));
    const char *id = strstr(reply.data ? reply.data : "", ":id \"");
    char *copy = id ? strndup(id + 5, strcspn(id + 5, "\"")) : NULL;
    buf_free(&reply);
    return copy;
}

/* CUTS in the environment is how many. */
static int in_changes(struct served *s) {
    const char *wanted = getenv("CUTS");
    int cuts = wanted ? (int)strtol(wanted, NULL, 10) : FEW_CUTS, done = 0, line = 0;
    make_file(served_file(s, "a.txt"), "new\n");
    make_file(served_file(s, "b.txt"), "new\n");
    serve_project(s, CLIENT);
    char *snapshot = snapshot_of(s);
    CHILD_CHECK(snapshot);
    for (int i = 0; i < cuts && !line; i++)
        line = cut_round(s, i, snapshot, i % 4 == 3 ? 30000 : i % 4 == 2 ? 3000 : 400, &done);
    free(snapshot);
    printf("  %d of %d changes were done\n", done, cuts);
    CHILD_CHECK(ends_well(s));
    char *locks = path_of("%s/agent-q-fs/serve", s->base);
    CHILD_CHECK(access(locks, F_OK) == 0);
    struct names names = names_below(locks);
    CHILD_CHECK(line || names.n == 0);
    free_names(&names);
    free(locks);
    return line;
}

/* A server whose client is on a dead connection hears nothing: the next one of that client opens
 * nothing before it has ended, and ends it. */
static int two_of_one_client(struct served *s) {
    serve_project(s, CLIENT);
    struct far *first = s->far;
    s->far = far_greet("sexp", CLIENT);
    char *options = options_of(s);
    uint64_t opened = far_ask(s->far, FRAME_OPEN, 1, options, strlen(options));
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_VERSION, 0, "", 0), ":version"));
    far_send(s->far, FRAME_CANCEL, opened, 0, "");
    CHILD_CHECK(answers(s, opened, ":cancelled"));
    uint64_t again = far_ask(s->far, FRAME_OPEN, 2, options, strlen(options));
    CHILD_CHECK(far_receive(first) == NULL); /* though what it reads goes on */
    CHILD_CHECK(far_end(first) == 0);
    CHILD_CHECK(answers(s, again, ":root"));
    free(options);
    CHILD_CHECK(ends_well(s));
    return 0;
}

/* Was the change made?  Where somebody else makes one at the same moment, it may be refused. */
static bool was_done(struct far *f, uint64_t id) {
    struct buf answer = far_answer(f, id);
    bool done = answer.data && strncmp(answer.data, "(:path", 6) == 0;
    buf_free(&answer);
    return done;
}

/* A client of another name has nothing to wait for. */
static int two_clients(struct served *s) {
    serve_project(s, CLIENT);
    struct far *first = s->far;
    serve_project(s, ", \"client\": \"00000000000000000000000000000001\"");
    struct far *second = s->far;
    int done = 0;
    for (int i = 0; i < 30; i++) {
        char change[300];
        (void)snprintf(change, sizeof change,
                       "{'op': 'insert_at_line', 'authority': 'cautious', 'args': {'path': "
                       "'a.txt', 'line': 1, 'content': 'line %d\\n'}}",
                       i);
        s->far = i % 2 ? first : second;
        uint64_t one = ask_far(s, FRAME_CALL, change);
        s->far = i % 2 ? second : first;
        uint64_t other = ask_far(s, FRAME_CALL, change);
        done += was_done(s->far, other);
        done += was_done(i % 2 ? first : second, one);
    }
    CHILD_CHECK(far_end(first) == 0 && far_end(second) == 0);
    struct buf text = {0};
    read_whole(served_file(s, "a.txt"), &text);
    int lines = 0;
    for (size_t i = 0; i < text.len; i++)
        lines += text.data[i] == '\n';
    buf_free(&text);
    CHILD_CHECK(done >= 15 && lines == 2 + done); /* no line of one is lost by the other */
    return 0;
}

/* Where the lock cannot be made, nothing is opened, and the reason is told. */
static int no_lock(struct served *s) {
    char *state = path_of("%s/agent-q-fs", s->base), *options = options_of(s);
    make_file(state, "");
    s->far = far_greet("sexp", CLIENT);
    CHILD_CHECK(answers(s, far_ask(s->far, FRAME_OPEN, 1, options, strlen(options)), "The lock"));
    CHILD_CHECK(ends_well(s));
    s->far = far_greet("sexp", ", \"client\": \"../../x\"");
    struct far_frame *frame = far_receive(s->far);
    CHILD_CHECK(frame && strstr(frame->payload.data, "bad-hello"));
    far_frame_free(frame);
    CHILD_CHECK(ends_well(s));
    free(options);
    free(state);
    return 0;
}

/* Has the file PATH, which may be made, be HOURS old. */
static bool make_older(const char *path, int hours) {
    struct timespec times[2] = {{.tv_sec = time(NULL) - (time_t)hours * 3600}};
    times[1] = times[0];
    if (access(path, F_OK) != 0)
        make_file(path, "");
    return utimensat(AT_FDCWD, path, times, 0) == 0;
}

/* The lock of a client that was killed with its server, and never came back, goes after a day; that
 * of a client that is here stays, however long it is here. */
static int a_day_later(struct served *s) {
    static const char *const locks[] = {"0000000000000000000000000000000a.lock",
                                        "0000000000000000000000000000000b.lock",
                                        "0123456789abcdef0123456789abcdef.lock", "notes"};
    static const int hours[] = {25, 23, 25, 25};
    serve_project(s, CLIENT);
    CHILD_CHECK(answers(s, ask_far(s, FRAME_CALL, "{'op': 'get_project_root'}"), s->root));
    struct far *first = s->far;
    for (int i = 0; i < 4; i++) {
        char *path = path_of("%s/agent-q-fs/serve/%s", s->base, locks[i]);
        CHILD_CHECK(make_older(path, hours[i]));
        free(path);
    }
    serve_project(s, ", \"client\": \"00000000000000000000000000000001\"");
    CHILD_CHECK(answers(s, ask_far(s, FRAME_CALL, "{'op': 'get_project_root'}"), s->root));
    for (int i = 0; i < 4; i++) {
        char *path = path_of("%s/agent-q-fs/serve/%s", s->base, locks[i]);
        CHILD_CHECK((access(path, F_OK) == 0) == (i > 0));
        free(path);
    }
    CHILD_CHECK(ends_well(s) && far_end(first) == 0);
    return 0;
}

const struct serve_case cut_cases[] = {
    {"cuts/in-changes", in_changes},   {"cuts/two-of-one-client", two_of_one_client},
    {"cuts/two-clients", two_clients}, {"cuts/no-lock", no_lock},
    {"cuts/a-day-later", a_day_later}, {NULL, NULL}};
