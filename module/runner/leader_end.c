/* leader_end.c -- how a command and all that it has started end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "clock.h"
#include "leading.h"
#include "leavings.h"
#include "mark.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/wait.h>

#define GRACE 300     /* milliseconds between asking and killing */
#define PATIENCE 1800 /* milliseconds after which it is not hoped any more that a process ends */
#define DRAIN_READS 256
#define HANDED_ON 500 /* milliseconds, at most, until the end of a terminal's output has come */

int64_t leader_now(void) {
    return clock_now_ns() / NS_PER_MS;
}

static uint64_t microseconds(struct timeval time) {
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_usec;
}

void leader_reap(struct leading *l) {
    struct rusage used;
    int status;
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG, &used)) > 0) {
        l->user += microseconds(used.ru_utime);
        l->system += microseconds(used.ru_stime);
        if (used.ru_maxrss > l->peak)
            l->peak = used.ru_maxrss;
        if (pid != l->started.pid)
            continue;
        l->ended = true;
        l->status = status;
    }
}

static void begin_phase(struct leading *l, enum phase phase, int64_t milliseconds) {
    l->phase = phase;
    l->deadline = leader_now() + milliseconds;
}

void leader_ask(struct leading *l) {
    if (l->phase == PHASE_REQUEST) {
        leader_kill(l);
        return;
    }
    if (l->phase != PHASE_GOING)
        return;
    static const int signals[] = {SIGTERM, SIGCONT};
    for (int i = 0; i < 2; i++) {
        tree_signal(signals[i]);
        if (l->command.mark)
            (void)mark_signal(l->command.mark, l->command.mark_limit, signals[i], &l->killed);
    }
    begin_phase(l, PHASE_ASKED, GRACE);
}

void leader_kill(struct leading *l) {
    if (l->phase < PHASE_KILLING)
        begin_phase(l, PHASE_KILLING, PATIENCE);
}

static void tell_end(struct leading *l, const struct pids *survivors) {
    AUTO(buf_free) struct buf body = {0};
    bool killed = WIFSIGNALED(l->status);
    buf_printf(&body, "%s %d %zu %ld %" PRIu64 " %" PRIu64, killed ? "signal" : "exit",
               killed ? WTERMSIG(l->status) : WEXITSTATUS(l->status), l->left, l->peak, l->user,
               l->system);
    for (size_t i = 0; i < survivors->n; i++)
        buf_printf(&body, " %d", (int)survivors->at[i]);
    record_add(&l->records, "end", body.data, body.len);
}

/* True while the stream may still bring something.  The kernel hands on the output
 * of a terminal a moment later; when all of it has come, reading fails. */
static bool has_more(const struct stream *stream, bool terminal) {
    struct pollfd fd = {.fd = stream->fd, .events = POLLIN};
    return stream->fd >= 0 && poll(&fd, 1, terminal ? HANDED_ON : 0) > 0;
}

/* All that wrote is gone, so what is there is the rest of the output. */
static void read_rest(struct leading *l, const struct pids *survivors) {
    bool terminal = l->started.terminal[0] != '\0';
    l->streams[0].unheld = false;
    for (int i = 0; i < 2; i++) {
        for (int reads = 0;
             reads < DRAIN_READS && !l->streams[i].unheld && has_more(&l->streams[i], terminal);
             reads++)
            (void)stream_read(&l->streams[i], &l->records);
        stream_flush(&l->streams[i], &l->records, true);
    }
    leavings_unmask();
    if (l->started.pid > 0 && l->ended && !l->orphaned)
        tell_end(l, survivors);
    l->phase = PHASE_OVER;
}

/* The processes of a container's own end a moment after the command: only those that stay were left
 * behind. */
static bool is_container_ending(const struct leading *l) {
    AUTO(pids_free) struct pids alive = {0};
    return l->command.mark && l->ended && leader_now() < l->deadline - PATIENCE + GRACE &&
           mark_signal(l->command.mark, l->command.mark_limit, 0, &alive) > 0;
}

static void kill_step(struct leading *l) {
    if (is_container_ending(l))
        return;
    AUTO(pids_free) struct pids alive = {0};
    size_t before = l->killed.n;
    size_t children = tree_kill_children(&l->killed);
    leader_reap(l);
    if (l->command.mark && l->started.pid > 0)
        children += mark_signal(l->command.mark, l->command.mark_limit, SIGKILL, &l->killed);
    l->left += l->killed.n - before;
    if (children > 0 && leader_now() < l->deadline)
        return;
    if (children > 0)
        (void)tree_kill_children(&alive);
    read_rest(l, &alive);
}

void leader_step(struct leading *l) {
    leader_reap(l);
    if (l->phase == PHASE_GOING && l->ended)
        leader_kill(l);
    if (l->phase == PHASE_ASKED && leader_now() >= l->deadline)
        leader_kill(l);
    if (l->phase == PHASE_KILLING)
        kill_step(l);
}
