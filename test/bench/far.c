/* far.c -- how many round trips calls cost over a connection: far DIR, a tree to find files in.
 *
 * A relay holds each byte between us and `agent-q-fs serve` for 50 ms, in both directions, as a
 * far machine does.  The peer is the bare round trip, a ping and its pong, or what a number of
 * them would take.
 *
 *     far/read-file    a call with a small reply: one round trip
 *     far/edit         an edit that is shown before it is made: two
 *     far/first-call   from the start of the server to the first reply: six at most
 *     far/find         all names below DIR: one, and 1.2 times as long as here
 *
 * Prints the lines that bench.c describes.  Heeds BENCH_ROWS and BENCH_RUNS.
 *
 *     far relay COMMAND...   is that relay
 *
 * SPDX-License-Identifier: MIT
 */
#include "parts/rows.h"

#include "aqfs.h"
#include "child.h"
#include "die.h"
#include "far.h"
#include "files.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DELAY_MS 50.0

/* -- the relay --------------------------------------------------------------------------------- */

struct held {
    struct held *next;
    double due;
    size_t n; /* 0 at the end */
    char bytes[65536];
};

struct line {
    int from, to;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct held *first, **end;
};

static void *take_in(void *data) {
    struct line *line = data;
    for (ssize_t n = 1; n > 0;) {
        struct held *held = malloc(sizeof *held); /* clearing it would take as long as reading */
        if (!held)
            die_of("malloc");
        held->next = NULL;
        n = read(line->from, held->bytes, sizeof held->bytes);
        held->n = n > 0 ? (size_t)n : 0;
        held->due = now_ms() + DELAY_MS;
        pthread_mutex_lock(&line->lock);
        *line->end = held;
        line->end = &held->next;
        pthread_cond_signal(&line->changed);
        pthread_mutex_unlock(&line->lock);
    }
    return NULL;
}

static struct held *next_held(struct line *line) {
    pthread_mutex_lock(&line->lock);
    while (!line->first)
        pthread_cond_wait(&line->changed, &line->lock);
    struct held *held = line->first;
    line->first = held->next;
    if (!line->first)
        line->end = &line->first;
    pthread_mutex_unlock(&line->lock);
    return held;
}

static void *give_out(void *data) {
    struct line *line = data;
    for (bool more = true; more;) {
        struct held *held = next_held(line);
        double left = held->due - now_ms();
        const struct timespec pause = {.tv_nsec = (long)(left * 1e6)};
        if (left > 0) /* else even no pause would take 50 us */
            (void)nanosleep(&pause, NULL);
        for (size_t at = 0; at < held->n;) {
            ssize_t n = write(line->to, held->bytes + at, held->n - at);
            if (n <= 0)
                _exit(1);
            at += (size_t)n;
        }
        more = held->n > 0;
        free(held);
    }
    (void)close(line->to);
    return NULL;
}

static void run_line(struct line *line, pthread_t threads[2]) {
    pthread_mutex_init(&line->lock, NULL);
    pthread_cond_init(&line->changed, NULL);
    line->end = &line->first;
    if (pthread_create(&threads[0], NULL, take_in, line) != 0 ||
        pthread_create(&threads[1], NULL, give_out, line) != 0)
        die("no thread");
}

static int relay(char **command) {
    static struct line lines[2];
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0)
        die_of("pipe");
    pid_t child = start_child();
    if (child == 0) {
        (void)dup2(to[0], STDIN_FILENO);
        (void)dup2(from[1], STDOUT_FILENO);
        for (int fd = 3; fd < 20; fd++)
            (void)close(fd);
        (void)execv(command[0], command);
        die_of(command[0]);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    lines[0].from = STDIN_FILENO;
    lines[0].to = to[1];
    lines[1].from = from[0];
    lines[1].to = STDOUT_FILENO;
    pthread_t threads[2][2];
    run_line(&lines[0], threads[0]);
    run_line(&lines[1], threads[1]);
    (void)pthread_join(threads[1][1], NULL);
    return end_child(child) != 0;
}

/* -- calls ------------------------------------------------------------------------------------- */

static const char read_request[] = "{\"op\": \"read_file\", \"args\": {\"path\": \"a.txt\"}}";
static const char find_request[] =
    "{\"op\": \"search_files\", \"args\": {\"pattern\": \"**\", \"ignored\": true, "
    "\"exclude_patterns\": [], \"limit\": 10000000}}";
static char *project; /* with a.txt */

static struct buf call_of(struct far *f, const char *request) {
    return far_answer(f, far_ask(f, FRAME_CALL, 1, request, strlen(request)));
}

static void must_have(struct buf reply, const char *part) {
    if (!reply.data || !strstr(reply.data, part))
        die("expected %s, came %.300s", part, reply.data ? reply.data : "nothing");
    buf_free(&reply);
}

static void ask_open(struct far *f, const char *root) {
    char *options = path_of("{\"root\": \"%s\", \"limits\": {\"reply_bytes\": 1073741824}}", root);
    (void)far_ask(f, FRAME_OPEN, 1, options, strlen(options));
    free(options);
}

static struct far *open_far_project(const char *root) {
    struct far *f = far_greet("sexp", ", \"window\": 1073741824");
    f->has_room = true;
    ask_open(f, root);
    must_have(far_answer(f, 1), ":root");
    return f;
}

static double time_ping(struct far *f) {
    double began = now_ms();
    uint64_t id = far_ask(f, FRAME_PING, 0, "", 0);
    far_frame_free(far_frame_for(f, id));
    return now_ms() - began;
}

static double time_read(struct far *f) {
    double began = now_ms();
    must_have(call_of(f, read_request), "one");
    return now_ms() - began;
}

/* As Emacs does: planned, shown, and then committed by its digest. */
static double time_edit(struct far *f) {
    static const char edit[] = "{\"op\": \"edit_file\", \"authority\": \"cautious\", %s, "
                               "\"args\": {\"path\": \"a.txt\", \"old_str\": \"one\", \"new_str\": "
                               "\"one\\none\"}}";
    char request[400], how[200];
    make_file(path_of("%s/a.txt", project), "one\ntwo\n");
    double began = now_ms();
    (void)snprintf(request, sizeof request, edit, "\"verb\": \"plan\"");
    struct buf plan = call_of(f, request);
    const char *digest = strstr(plan.data, ":digest \"");
    if (!digest)
        die("no plan: %s", plan.data);
    digest += strlen(":digest \"");
    (void)snprintf(how, sizeof how, "\"verb\": \"commit\", \"digest\": \"%.*s\"",
                   (int)strcspn(digest, "\""), digest);
    (void)snprintf(request, sizeof request, edit, how);
    must_have(call_of(f, request), ":path");
    buf_free(&plan);
    return now_ms() - began;
}

static double time_first_call(struct far *unused) {
    (void)unused;
    double began = now_ms();
    struct far *f = far_greet("sexp", "");
    ask_open(f, project);
    must_have(call_of(f, read_request), "one");
    double ms = now_ms() - began;
    if (far_end(f) != 0)
        die("the server's status is not 0");
    return ms;
}

static double time_find(struct far *f) {
    double began = now_ms();
    must_have(call_of(f, find_request), ":total");
    return now_ms() - began;
}

static double time_find_here(const char *directory) {
    static aqfs_workspace *ws;
    char *options =
        path_of("{\"root\": \"%s\", \"limits\": {\"reply_bytes\": 1073741824}}", directory);
    if (!ws)
        aqfs_reply_free(aqfs_open(options, strlen(options), AQFS_SEXP, &ws));
    free(options);
    double began = now_ms();
    aqfs_reply_free(aqfs_call(ws, find_request, strlen(find_request), NULL));
    return now_ms() - began;
}

/* -- rows -------------------------------------------------------------------------------------- */

static double median_of(double (*time_one)(struct far *f), struct far *f) {
    double ms[MOST_RUNS];
    (void)time_one(f);
    for (int i = 0; i < settings.runs; i++)
        ms[i] = time_one(f);
    return median(ms, settings.runs);
}

static void row_of(const char *row, double (*time_one)(struct far *f), struct far *f, int trips,
                   double bound) {
    char peer[40];
    if (!wanted(row))
        return;
    (void)snprintf(peer, sizeof peer, "%d-round-trip%s", trips, trips > 1 ? "s" : "");
    print_row(row, median_of(time_one, f), peer, trips * median_of(time_ping, f), bound, true);
}

static void find_row(const char *directory) {
    double here[MOST_RUNS], there[MOST_RUNS];
    if (!wanted("far/find"))
        return;
    struct far *f = open_far_project(directory);
    (void)time_find_here(directory);
    (void)time_find(f);
    for (int i = 0; i < settings.runs; i++) {
        here[i] = time_find_here(directory);
        there[i] = time_find(f);
    }
    print_row("far/find", median(there, settings.runs), "1-round-trip+1.2-local",
              median_of(time_ping, f) + 1.2 * median(here, settings.runs), 1.0, true);
    (void)far_end(f);
}

int main(int argc, char **argv) {
    if (argc > 2 && strcmp(argv[1], "relay") == 0)
        return relay(argv + 2);
    if (argc != 2)
        die("usage: far DIR");
    read_settings();
    char *self = realpath("/proc/self/exe", NULL);
    char *command = path_of("exec %s relay %s serve", self, mcp_program());
    (void)setenv("FAR", command, 1);
    project = make_temporary("far");
    make_file(path_of("%s/a.txt", project), "one\ntwo\n");
    struct far *f = open_far_project(project);
    row_of("far/read-file", time_read, f, 1, 1.15);
    row_of("far/edit", time_edit, f, 2, 1.15);
    row_of("far/first-call", time_first_call, f, 6, 1.0);
    (void)far_end(f);
    find_row(argv[1]);
    remove_all(project);
    free(command);
    free(self);
    return 0;
}
