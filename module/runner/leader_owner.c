/* leader_owner.c -- what the owner of a command sends and is sent.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leading.h"
#include "surroundings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define CHUNK 65536
#define TYPING_MOST (4U << 20)

void leader_refuse(struct leading *l, const char *what, const char *why) {
    record_print(&l->records, "refused", "%s %s", what, why);
    leader_kill(l);
}

static void begin_command(struct leading *l) {
    struct start_refusal refusal = {"process", 0};
    /* A program that starts containers leaves a process which ends by itself, and has the mark
     * for the rest. */
    bool adopting = l->command.mark || tree_adopt();
    if (!adopting || !surroundings_make(&l->command, &refusal) ||
        !start_command(&l->command, &l->started, &refusal)) {
        leader_refuse(l, refusal.what, strerror(refusal.errnum));
        return;
    }
    l->phase = PHASE_GOING;
    const struct stream as = {.credit = l->command.credit, .keep = l->command.keep};
    l->streams[0] = l->streams[1] = as;
    l->streams[0].word = "out";
    l->streams[1].word = "err";
    l->streams[0].terminal = l->started.terminal[0] != '\0';
    l->streams[0].fd = l->started.out;
    l->streams[1].fd = l->started.err;
    for (int i = 0; i < 2; i++)
        if (l->streams[i].fd >= 0)
            (void)ioctl(l->streams[i].fd, FIONBIO, &(int){1});
    /* There is nothing else to tell of one without a terminal, and each record wakes the owner. */
    if (l->started.terminal[0])
        record_print(&l->records, "started", "%d %s", (int)l->started.pid, l->started.terminal);
}

static const char *take_typing(struct leading *l, const struct record *record) {
    if (!l->started.terminal[0])
        return "the command has no terminal";
    if (l->typing.len + record->length > TYPING_MOST)
        return "the program does not read what is typed";
    buf_add(&l->typing, record->body, record->length);
    return NULL;
}

static const char *take_resize(struct leading *l, const struct record *record) {
    uint64_t size[2];
    if (!record_numbers(record, 2, size) || size[0] > 9999 || size[1] > 9999)
        return "expected lines and columns";
    const struct winsize window = {.ws_row = (unsigned short)size[0],
                                   .ws_col = (unsigned short)size[1]};
    if (l->started.terminal[0] && l->streams[0].fd >= 0)
        (void)ioctl(l->streams[0].fd, TIOCSWINSZ, &window);
    return NULL;
}

/* The owner takes so many bytes more of each output. */
static const char *take_more(struct leading *l, const struct record *record) {
    uint64_t more;
    if (!record_numbers(record, 1, &more))
        return "expected a number of bytes";
    for (int i = 0; i < 2; i++) {
        l->streams[i].credit =
            l->streams[i].credit > UINT64_MAX - more ? UINT64_MAX : l->streams[i].credit + more;
        stream_flush(&l->streams[i], &l->records, false);
    }
    return NULL;
}

static const char *take_later(struct leading *l, const struct record *record) {
    if (record_is(record, "in"))
        return take_typing(l, record);
    if (record_is(record, "size"))
        return take_resize(l, record);
    if (record_is(record, "more"))
        return take_more(l, record);
    return "there is no such record";
}

static void take_owners_record(struct leading *l, const struct record *record) {
    const char *wrong = NULL;
    if (l->phase == PHASE_REQUEST)
        wrong = command_take(&l->command, record);
    else if (l->phase == PHASE_GOING)
        wrong = take_later(l, record);
    if (wrong) {
        char why[160];
        (void)snprintf(why, sizeof why, "%s: %s", record->word, wrong);
        leader_refuse(l, l->command.understood ? "request" : "version", why);
    } else if (l->phase == PHASE_REQUEST && l->command.ready) {
        begin_command(l);
    }
}

static void take_received(struct leading *l) {
    size_t at = 0;
    for (;;) {
        struct record record;
        ssize_t n = record_read(l->received.data + at, l->received.len - at, &record);
        if (n < 0) {
            leader_refuse(l, "request", "these bytes are no record");
            at = l->received.len;
        }
        if (n <= 0)
            break;
        take_owners_record(l, &record);
        at += (size_t)n;
    }
    if (at > 0) {
        memmove(l->received.data, l->received.data + at, l->received.len - at);
        l->received.len -= at;
    }
}

void leader_read_owner(struct leading *l) {
    ssize_t n = -1;
    errno = ENOMEM;
    if (buf_reserve(&l->received, CHUNK))
        n = read(l->in, l->received.data + l->received.len, CHUNK);
    if (n > 0) {
        l->received.len += (size_t)n;
        take_received(l);
        return;
    }
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    l->in = -1;
    leader_kill(l);
}

void leader_write_owner(struct leading *l) {
    size_t at = 0;
    while (at < l->records.len && !l->out_failed) {
        ssize_t n = write(l->out, l->records.data + at, l->records.len - at);
        if (n > 0)
            at += (size_t)n;
        else if (n < 0 && errno == EAGAIN)
            break;
        else if (n == 0 || errno != EINTR)
            l->out_failed = true;
    }
    if (l->out_failed) {
        at = l->records.len;
        leader_kill(l);
    }
    if (at > 0) {
        memmove(l->records.data, l->records.data + at, l->records.len - at);
        l->records.len -= at;
    }
}

void leader_type(struct leading *l) {
    while (l->typed < l->typing.len) {
        ssize_t n = l->streams[0].fd < 0 ? -1
                                         : write(l->streams[0].fd, l->typing.data + l->typed,
                                                 l->typing.len - l->typed);
        if (n <= 0)
            break;
        l->typed += (size_t)n;
        l->typed_all += (uint64_t)n;
    }
    if (l->typed == l->typing.len && l->typed > 0) {
        record_print(&l->records, "typed", "%" PRIu64, l->typed_all);
        buf_clear(&l->typing);
        l->typed = 0;
    }
}
