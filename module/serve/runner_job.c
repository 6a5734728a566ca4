/* runner_job.c -- a command of the client's: the program agent-q-fs-run, and what goes to and fro.
 *
 * The runner ends the command, and all that came of it, when its standard input ends: when the
 * client says so, when the connection ends, and when this process is killed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "connection.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE_OF_RUNNER 16384

struct running {
    struct serve_job *job;
    pid_t pid;
    int in, out;
    struct buf next; /* on its way to the runner, from AT on */
    size_t at;
};

/* -- the program ------------------------------------------------------------------------------- */

/* Above the loader, as a bundle has it, where the runner beside it would find no libraries; beside
 * this program, as it was built; or installed, by a package or by make. */
static bool find_runner(char out[PATH_MAX]) {
    static const char *const places[] = {"../agent-q-fs-run", "agent-q-fs-run",
                                         "../libexec/agent-q-fs/agent-q-fs-run",
                                         "../lib/agent-q-fs/agent-q-fs-run"};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0)
        return false;
    self[n] = '\0';
    *strrchr(self, '/') = '\0';
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int length = snprintf(out, PATH_MAX, "%s/%s", self, places[i]);
        if (length > 0 && length < PATH_MAX && access(out, X_OK) == 0)
            return true;
    }
    return false;
}

static int spawn_runner(struct running *r, const char *path, int in, int out) {
    char *const words[] = {(char[]){"agent-q-fs-run"}, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t as;
    sigset_t none, ours;
    (void)sigemptyset(&none);
    (void)sigemptyset(&ours);
    (void)sigaddset(&ours, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&as);
    posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setflags(&as, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&as, &none);
    posix_spawnattr_setsigdefault(&as, &ours);
    int problem = posix_spawn(&r->pid, path, &files, &as, words, environ);
    posix_spawnattr_destroy(&as);
    posix_spawn_file_actions_destroy(&files);
    return problem;
}

/* Every descriptor is closed in whatever another thread starts meanwhile: else the end of this
 * runner's input could not be told to it. */
static bool start_runner(struct running *r, const char *path) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0)
        return false;
    if (pipe2(out, O_CLOEXEC) != 0) {
        (void)close(in[0]);
        (void)close(in[1]);
        return false;
    }
    int problem = spawn_runner(r, path, in[0], out[1]);
    (void)close(in[0]);
    (void)close(out[1]);
    r->in = in[1];
    r->out = out[0];
    (void)fcntl(r->in, F_SETFL, O_NONBLOCK);
    return problem == 0;
}

/* -- its request ------------------------------------------------------------------------------- */

static bool is_wanted_variable(const char *names, const char *end, const char *entry, size_t n) {
    while (names < end) {
        const char *newline = memchr(names, '\n', (size_t)(end - names));
        size_t length = (size_t)((newline ? newline : end) - names);
        bool many = length > 0 && names[length - 1] == '*';
        if (many ? n >= length - 1 && memcmp(names, entry, length - 1) == 0
                 : n == length && memcmp(names, entry, n) == 0)
            return true;
        names += length + 1;
    }
    return false;
}

static void put_record(struct buf *out, const char *word, const char *body) {
    buf_printf(out, "%s %zu\n%s", word, strlen(body), body);
}

/* Makes the request that the runner reads first. */
static void begin_request(struct running *r) {
    const struct buf *request = &r->job->request;
    const char *names = request->data ? request->data : "", *end = names + r->job->names;
    put_record(&r->next, "version", AQFS_VERSION);
    for (char **entry = environ; *entry; entry++)
        if (is_wanted_variable(names, end, *entry, strcspn(*entry, "=")))
            put_record(&r->next, "variable", *entry);
    buf_add(&r->next, end, request->len - r->job->names);
}

/* -- to and fro -------------------------------------------------------------------------------- */

static void write_next(struct running *r) {
    while (r->in >= 0 && r->at < r->next.len) {
        ssize_t n = write(r->in, r->next.data + r->at, r->next.len - r->at);
        if (n > 0)
            r->at += (size_t)n;
        else if (n < 0 && errno == EAGAIN)
            return;
        else if (n == 0 || errno != EINTR)
            cleanup_close(&r->in);
    }
    buf_clear(&r->next);
    r->at = 0;
}

/* Takes over what the client has said meanwhile. */
static void take_said(struct running *r) {
    struct serve_job *job = r->job;
    struct connection *c = job->of;
    pthread_mutex_lock(&c->lock);
    const bool ask = job->asked_to_end;
    job->asked_to_end = false;
    buf_add(&r->next, job->input.data ? job->input.data : "", job->input.len);
    buf_clear(&job->input);
    const bool ends = r->next.failed || job->input_ended ||
                      __atomic_load_n(&job->cancelled, __ATOMIC_SEQ_CST) != 0;
    pthread_mutex_unlock(&c->lock);
    /* It may have been stopped by its command, and then reads the first signal by the second. */
    if (ask) {
        (void)kill(r->pid, SIGTERM);
        (void)kill(r->pid, SIGCONT);
    }
    if (ends)
        cleanup_close(&r->in);
}

static bool relay_output(struct running *r) {
    char piece[PIECE_OF_RUNNER];
    ssize_t n = read(r->out, piece, sizeof piece);
    if (n > 0)
        (void)send_piecewise(r->job, FRAME_ITEM, piece, (size_t)n); /* or nobody wants it */
    return n > 0 || (n < 0 && errno == EINTR);
}

static void relay(struct running *r) {
    for (bool more = true; more;) {
        take_said(r);
        write_next(r);
        struct pollfd ready[] = {
            {.fd = r->out, .events = POLLIN},
            {.fd = r->job->wake, .events = POLLIN},
            {.fd = r->in, .events = (short)(r->at < r->next.len ? POLLOUT : 0)}};
        eventfd_t told;
        if (poll(ready, 3, -1) < 0)
            continue;
        if (ready[1].revents)
            (void)eventfd_read(r->job->wake, &told);
        if (ready[2].revents & (POLLERR | POLLHUP))
            cleanup_close(&r->in);
        if (ready[0].revents)
            more = relay_output(r);
    }
}

static void set_wake(struct serve_job *job, int wake) {
    pthread_mutex_lock(&job->of->lock);
    job->wake = wake;
    pthread_mutex_unlock(&job->of->lock);
}

const char *runner_job_run(struct serve_job *job) {
    char path[PATH_MAX];
    struct running r = {.job = job, .in = -1, .out = -1};
    AUTO_CLOSE int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (!find_runner(path))
        return "There is no program agent-q-fs-run beside agent-q-fs on that machine";
    if (wake < 0 || !start_runner(&r, path)) {
        cleanup_close(&r.in);
        cleanup_close(&r.out);
        return "The program agent-q-fs-run cannot be started on that machine";
    }
    set_wake(job, wake);
    begin_request(&r);
    relay(&r);
    set_wake(job, -1);
    cleanup_close(&r.in);
    cleanup_close(&r.out);
    while (waitpid(r.pid, NULL, 0) < 0 && errno == EINTR)
        ;
    buf_free(&r.next);
    return NULL;
}
