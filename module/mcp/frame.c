/* frame.c -- messages from a stream of bytes: see frame.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "frame.h"

#include <string.h>

static bool is_blank_line(const char *text, size_t n) {
    return strspn(text, " \t\r") == n;
}

static void keep_piece(struct frames *frames, const char *bytes, size_t n, frame_taker *take,
                       void *data) {
    if (frames->skipping)
        return;
    if (n <= frames->most - frames->line.len)
        buf_add(&frames->line, bytes, n);
    else
        frames->line.failed = true;
    if (!frames->line.failed)
        return;
    frames->skipping = true;
    buf_free(&frames->line);
    take(data, NULL, 0);
}

static void end_frame(struct frames *frames, frame_taker *take, void *data) {
    if (!frames->skipping && frames->line.len > 0 &&
        !is_blank_line(frames->line.data, frames->line.len))
        take(data, frames->line.data, frames->line.len);
    frames->skipping = false;
    /* A large line's memory is not kept for the small ones that usually follow. */
    buf_free(&frames->line);
}

void frames_feed(struct frames *frames, const char *bytes, size_t n, frame_taker *take,
                 void *data) {
    while (n > 0) {
        const char *newline = memchr(bytes, '\n', n);
        size_t piece = newline ? (size_t)(newline - bytes) : n;
        keep_piece(frames, bytes, piece, take, data);
        if (!newline)
            return;
        end_frame(frames, take, data);
        bytes += piece + 1;
        n -= piece + 1;
    }
}

void frames_end(struct frames *frames, frame_taker *take, void *data) {
    end_frame(frames, take, data);
}
