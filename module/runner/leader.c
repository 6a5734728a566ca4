/* leader.c -- one command from its request to the end of all that it started: see leader.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leader.h"

#include "guard.h"
#include "leading.h"
#include "leavings.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define MOMENT 2         /* milliseconds between two looks at what is being killed */
#define REOPENING 20     /* milliseconds between two looks at a terminal that nobody has open */
#define READS_AT_ONCE 16 /* of an output, before the other one and the owner have their turn */
#define PENDING_MOST (1U << 20)

enum { AT_OWNER, AT_SIGNALS, AT_STREAMS, AT_ANSWER = AT_STREAMS + 2, WATCHED };

static void watch_signals(struct leading *l) {
    sigset_t watched;
    (void)sigemptyset(&watched);
    (void)sigaddset(&watched, SIGCHLD);
    (void)sigaddset(&watched, SIGTERM);
    (void)sigaddset(&watched, SIGINT);
    (void)sigaddset(&watched, SIGHUP);
    (void)sigaddset(&watched, GUARD_DIED);
    (void)sigprocmask(SIG_SETMASK, &watched, NULL);
    l->signals = signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void read_signals(struct leading *l) {
    struct signalfd_siginfo signal;
    while (read(l->signals, &signal, sizeof signal) == (ssize_t)sizeof signal) {
        if (signal.ssi_signo == SIGTERM || signal.ssi_signo == SIGINT)
            leader_ask(l);
        if (signal.ssi_signo == SIGHUP)
            leader_kill(l);
    }
    if (getppid() == l->guard)
        return;
    l->orphaned = true;
    leader_kill(l);
}

static int wait_milliseconds(const struct leading *l) {
    if (l->phase == PHASE_KILLING)
        return MOMENT;
    if (l->phase == PHASE_ASKED) {
        int64_t left = l->deadline - leader_now();
        return left > 0 ? (int)left : 0;
    }
    return l->streams[0].unheld ? REOPENING : -1;
}

static void watch(const struct leading *l, struct pollfd fds[WATCHED]) {
    bool room = l->records.len < PENDING_MOST;
    fds[AT_OWNER] = (struct pollfd){.fd = l->in, .events = POLLIN};
    fds[AT_SIGNALS] = (struct pollfd){.fd = l->signals, .events = POLLIN};
    for (int i = 0; i < 2; i++)
        fds[AT_STREAMS + i] = (struct pollfd){
            .fd = room && !l->streams[i].unheld ? l->streams[i].fd : -1, .events = POLLIN};
    if (l->typing.len > 0 && room)
        fds[AT_STREAMS].events |= POLLOUT;
    fds[AT_ANSWER] = (struct pollfd){.fd = l->records.len ? l->out : -1, .events = POLLOUT};
}

static void turn(struct leading *l) {
    struct pollfd fds[WATCHED];
    watch(l, fds);
    int patience = wait_milliseconds(l);
    l->streams[0].unheld = false; /* that may have changed when this is read next */
    if (poll(fds, WATCHED, patience) < 0)
        return;
    if (fds[AT_SIGNALS].revents)
        read_signals(l);
    if (fds[AT_OWNER].revents)
        leader_read_owner(l);
    for (int i = 0; i < 2; i++)
        if (fds[AT_STREAMS + i].revents & (POLLIN | POLLHUP | POLLERR))
            for (int reads = 0; reads < READS_AT_ONCE; reads++)
                if (!stream_read(&l->streams[i], &l->records))
                    break;
    if (l->typing.len > 0)
        leader_type(l);
    leader_step(l);
    leader_write_owner(l);
}

/* The owner may be slow: it is told the rest as long as it is there. */
static void tell_rest(struct leading *l) {
    while (l->records.len > 0 && !l->out_failed) {
        struct pollfd fds[] = {{.fd = l->out, .events = POLLOUT}, {.fd = l->in, .events = POLLIN}};
        if (poll(fds, 2, -1) < 0)
            continue;
        leader_write_owner(l);
        if (fds[1].revents) {
            leader_read_owner(l);
            if (l->in < 0)
                return;
        }
    }
}

static void leading_free(struct leading *l) {
    command_free(&l->command);
    stream_close(&l->streams[0]);
    stream_close(&l->streams[1]);
    buf_free(&l->received);
    buf_free(&l->records);
    buf_free(&l->typing);
    pids_free(&l->killed);
    (void)close(l->signals);
}

int leader_run(pid_t guard, int in, int out) {
    struct leading l = {.guard = guard, .in = in, .out = out, .streams = {{.fd = -1}, {.fd = -1}}};
    watch_signals(&l);
    if (l.signals < 0)
        return 1;
    (void)fcntl(in, F_SETFL, fcntl(in, F_GETFL) | O_NONBLOCK);
    (void)fcntl(out, F_SETFL, fcntl(out, F_GETFL) | O_NONBLOCK);
    while (l.phase != PHASE_OVER)
        turn(&l);
    leavings_remove();
    tell_rest(&l);
    int status = l.records.len > 0 || l.out_failed;
    leading_free(&l);
    return status;
}
