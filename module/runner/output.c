/* output.c -- an output of the command: see output.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "output.h"

#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define READ_MOST 65536

static void ring_write(struct stream *stream, const char *bytes, size_t n) {
    size_t at = (stream->start + stream->kept) % stream->keep;
    size_t first = stream->keep - at < n ? stream->keep - at : n;
    memcpy(stream->ring + at, bytes, first);
    memcpy(stream->ring, bytes + first, n - first);
    stream->kept += n;
}

static void keep_bytes(struct stream *stream, const char *bytes, size_t n) {
    if (!stream->ring && !(stream->ring = malloc(stream->keep))) {
        stream->lost += n;
        return;
    }
    if (n > stream->keep) {
        stream->lost += n - stream->keep;
        bytes += n - stream->keep;
        n = stream->keep;
    }
    if (stream->kept + n > stream->keep) {
        size_t gone = stream->kept + n - stream->keep;
        stream->lost += gone;
        stream->start = (stream->start + gone) % stream->keep;
        stream->kept -= gone;
    }
    ring_write(stream, bytes, n);
}

static void pass_bytes(struct stream *stream, const char *bytes, size_t n, struct buf *records) {
    bool waiting = stream->kept > 0 || stream->lost > 0;
    size_t now = waiting ? 0 : stream->credit < n ? (size_t)stream->credit : n;
    if (now > 0)
        record_add(records, stream->word, bytes, now);
    stream->credit -= now;
    if (now < n)
        keep_bytes(stream, bytes + now, n - now);
}

bool stream_read(struct stream *stream, struct buf *records) {
    char bytes[READ_MOST];
    if (stream->fd < 0)
        return false;
    ssize_t n = read(stream->fd, bytes, sizeof bytes);
    if (n > 0) {
        pass_bytes(stream, bytes, (size_t)n, records);
        return true;
    }
    stream->unheld = n < 0 && errno == EIO && stream->terminal;
    if (stream->unheld)
        return false;
    if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        (void)close(stream->fd);
        stream->fd = -1;
    }
    return false;
}

void stream_flush(struct stream *stream, struct buf *records, bool last) {
    if ((stream->kept == 0 && stream->lost == 0) || (stream->credit == 0 && !last))
        return;
    if (stream->lost > 0)
        record_print(records, "lost", "%s %" PRIu64, stream->word, stream->lost);
    size_t first =
        stream->keep - stream->start < stream->kept ? stream->keep - stream->start : stream->kept;
    if (stream->kept > 0)
        buf_printf(records, "%s %zu\n", stream->word, stream->kept);
    buf_add(records, stream->ring + stream->start, first);
    buf_add(records, stream->ring, stream->kept - first);
    stream->credit -= stream->kept < stream->credit ? stream->kept : stream->credit;
    stream->lost = 0;
    stream->start = stream->kept = 0;
}

void stream_close(struct stream *stream) {
    if (stream->fd >= 0)
        (void)close(stream->fd);
    stream->fd = -1;
    free(stream->ring);
    stream->ring = NULL;
}
