/* SPDX-License-Identifier: MIT */
/* aqfs-call.c -- runs requests through the core.
 *
 *     aqfs-call [--json] [--measure] [--times N] [--state DIR] ROOT REQUEST
 *     aqfs-call [--state DIR] --serve ROOT
 *
 * The reply of the last run goes to standard output.  --measure writes to
 * standard error the milliseconds of each run, `ms 1.234`, and at the end the
 * peak of the resident memory, `rss-kib 5678`.  REQUEST is as aqfs.h has it; the
 * reply may be as large as the core allows.
 *
 * --serve stands for Emacs and Lisp, which have the core loaded: it answers each
 * request, a line of standard input, when the reply lies in memory as they read
 * it, with a line that says how long it is.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "aqfs.h"
#include "processes.h"

struct command {
    int32_t format;
    bool measure;
    long times;
    const char *state; /* the state directory, or NULL */
    const char *root;
    const char *request; /* NULL: to serve */
};

static _Noreturn void fail(const char *message) {
    fprintf(stderr, "aqfs-call: %s\n", message);
    exit(1);
}

static struct command command_of(int argc, char **argv) {
    struct command c = {.format = AQFS_SEXP, .times = 1};
    bool serves = false;
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--json") == 0)
            c.format = AQFS_JSON;
        else if (strcmp(argv[i], "--measure") == 0)
            c.measure = true;
        else if (strcmp(argv[i], "--serve") == 0)
            serves = true;
        else if (strcmp(argv[i], "--times") == 0 && i + 1 < argc)
            c.times = strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--state") == 0 && i + 1 < argc)
            c.state = argv[++i];
        else
            fail("an option is not known");
    }
    if (argc - i != (serves ? 1 : 2) || c.times < 1)
        fail("usage: aqfs-call [--json] [--measure] [--times N] [--state DIR] ROOT REQUEST, or "
             "aqfs-call [--state DIR] --serve ROOT");
    c.root = argv[i];
    c.request = serves ? NULL : argv[i + 1];
    return c;
}

static void write_reply(const aqfs_reply *reply) {
    size_t length;
    const char *text = aqfs_reply_text(reply, &length);
    for (size_t done = 0; done < length;) {
        ssize_t n = write(STDOUT_FILENO, text + done, length - done);
        if (n < 0)
            fail("the reply could not be written");
        done += (size_t)n;
    }
}

static void require_success(const aqfs_reply *reply) {
    if (!reply)
        fail("out of memory");
    if (!aqfs_reply_error(reply))
        return;
    fprintf(stderr, "aqfs-call: %s\n", aqfs_reply_text(reply, NULL));
    exit(1);
}

static aqfs_workspace *open_root(const char *root, const char *state) {
    aqfs_workspace *workspace;
    json_t *options = json_pack("{s:s, s:s*, s:{s:I}}", "root", root, "state_dir", state, "limits",
                                "reply_bytes", (json_int_t)1 << 30);
    char *text = options ? json_dumps(options, JSON_COMPACT) : NULL;
    if (!text)
        fail("ROOT is not UTF-8");
    aqfs_reply *reply = aqfs_open(text, strlen(text), AQFS_SEXP, &workspace);
    require_success(reply);
    aqfs_reply_free(reply);
    free(text);
    json_decref(options);
    return workspace;
}

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static aqfs_reply *answer(aqfs_workspace *workspace, const char *request, int32_t format) {
    const aqfs_context context = {.format = format};
    aqfs_reply *reply = aqfs_call(workspace, request, strlen(request), &context);
    require_success(reply);
    return reply;
}

static aqfs_reply *run_once(aqfs_workspace *workspace, const struct command *c) {
    double start = now_ms();
    aqfs_reply *reply = answer(workspace, c->request, c->format);
    if (c->measure)
        fprintf(stderr, "ms %.3f\n", now_ms() - start);
    return reply;
}

static void run(aqfs_workspace *workspace, const struct command *c) {
    for (long i = 1; i < c->times; i++)
        aqfs_reply_free(run_once(workspace, c));
    aqfs_reply *reply = run_once(workspace, c);
    write_reply(reply);
    if (c->measure)
        fprintf(stderr, "rss-kib %ld\n", process_peak_kb(getpid()));
    aqfs_reply_free(reply);
}

static void serve(aqfs_workspace *workspace, int32_t format) {
    char *request = NULL;
    size_t room = 0, length;
    while (getline(&request, &room, stdin) > 0) {
        aqfs_reply *reply = answer(workspace, request, format);
        (void)aqfs_reply_text(reply, &length);
        printf("%zu\n", length);
        (void)fflush(stdout);
        aqfs_reply_free(reply);
    }
    free(request);
}

int main(int argc, char **argv) {
    struct command c = command_of(argc, argv);
    aqfs_workspace *workspace = open_root(c.root, c.state);
    if (c.request)
        run(workspace, &c);
    else
        serve(workspace, c.format);
    aqfs_free(workspace);
    return 0;
}
