/* SPDX-License-Identifier: MIT */
/* owner.c -- an owner of the program agent-q-fs-run: see owner.h. */
#include "owner.h"

#include "aqfs.h"
#include "die.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int failed, passed;

void check(bool holds, const char *name, const char *what) {
    if (holds) {
        passed++;
        return;
    }
    failed++;
    printf("%s: FAILED: %s\n", name, what);
}

/* The 2 seconds are of a machine that is not busy. */
long slowness(void) {
    const char *given = getenv("AQFS_TEST_SLOWNESS");
    long times = given ? strtol(given, NULL, 10) : 1;
    return times > 0 ? times : 1;
}

void pause_for(long milliseconds) {
    const struct timespec time = {.tv_sec = milliseconds / 1000,
                                  .tv_nsec = milliseconds % 1000 * 1000000};
    (void)nanosleep(&time, NULL);
}

static const char *runner_program(void) {
    static char path[4096];
    const char *build = getenv("BUILD");
    (void)snprintf(path, sizeof path, "%s/agent-q-fs-run", build ? build : "build");
    return path;
}

struct running start_runner(void) {
    struct running r = {.guard = -1};
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
        die_of("pipe2");
    r.guard = fork();
    if (r.guard == 0) {
        (void)dup2(to[0], 0);
        (void)dup2(from[1], 1);
        (void)execl(runner_program(), "agent-q-fs-run", (char *)NULL);
        _exit(127);
    }
    (void)close(to[0]);
    (void)close(from[1]);
    r.in = to[1];
    r.out = from[0];
    return r;
}

void send_bytes(const struct running *r, const struct buf *b) {
    for (size_t at = 0; at < b->len;) {
        ssize_t n = write(r->in, b->data + at, b->len - at);
        if (n < 0)
            return;
        at += (size_t)n;
    }
}

void add_word(struct buf *b, const char *word, const char *body) {
    record_add(b, word, body, strlen(body));
}

static void add_request(struct buf *b, const char *script, const char *more_word,
                        const char *more_body) {
    add_word(b, "version", AQFS_VERSION);
    add_word(b, "word", "/bin/bash");
    add_word(b, "word", "-c");
    add_word(b, "word", script);
    add_word(b, "variable", "PATH=/no/such/bin:/usr/local/bin:/usr/bin:/bin");
    add_word(b, "directory", "/usr");
    add_word(b, "window", "65536 16384");
    if (more_word && strcmp(more_word, "fence") == 0)
        add_fence(b);
    else if (more_word)
        add_word(b, more_word, more_body);
    add_word(b, "start", "");
}

struct running start_script(const char *script, const char *more_word, const char *more_body) {
    struct running r = start_runner();
    struct buf b = {0};
    add_request(&b, script, more_word, more_body);
    send_bytes(&r, &b);
    buf_free(&b);
    return r;
}

/* Reads until TEXT has come, or all that comes where it is NULL.  Returns whether it came. */
bool read_until(struct running *r, const char *text) {
    for (;;) {
        if (text && r->said.len && memmem(r->said.data, r->said.len, text, strlen(text)))
            return true;
        char bytes[65536];
        ssize_t n = read(r->out, bytes, sizeof bytes);
        if (n <= 0)
            return !text;
        buf_add(&r->said, bytes, (size_t)n);
    }
}

void leave(struct running *r) {
    if (r->in >= 0)
        (void)close(r->in);
    r->in = -1;
}

void finish_runner(struct running *r) {
    leave(r);
    (void)read_until(r, NULL);
    (void)close(r->out);
    (void)waitpid(r->guard, NULL, 0);
    buf_free(&r->said);
}

/* The runner's records of a whole run. */
void expect(const char *name, const char *script, const char *more_word, const char *more_body,
            const char *wanted) {
    struct running r = start_script(script, more_word, more_body);
    (void)read_until(&r, NULL);
    check(r.said.len && memmem(r.said.data, r.said.len, wanted, strlen(wanted)) != NULL, name,
          r.said.len ? r.said.data : "it said nothing");
    finish_runner(&r);
}

pid_t leader_of(pid_t guard) {
    char path[100], text[100] = "";
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)guard, (int)guard);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)!read(fd, text, sizeof text - 1);
        (void)close(fd);
    }
    return (pid_t)strtol(text, NULL, 10);
}

void end_by(struct running *r, enum way_to_end way) {
    pid_t leader = leader_of(r->guard);
    if (way == BY_ASKING)
        (void)kill(r->guard, SIGTERM);
    else if (way == BY_LEAVING)
        leave(r);
    else if (way == BY_KILLING_THE_GUARD)
        (void)kill(r->guard, SIGKILL);
    else if (leader > 0 && way == BY_KILLING_THE_LEADER)
        (void)kill(leader, SIGKILL);
    else if (leader > 0) {
        (void)kill(r->guard, SIGSTOP);
        (void)kill(leader, SIGSTOP);
        (void)kill(r->guard, SIGKILL);
    }
}
