/* frame.h -- messages from a stream of bytes: one a line.
 *
 * A line may come in any number of pieces, and one piece may hold many lines.
 * Lines of white space are left out.  Nothing in a line is looked at here.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FRAME_H
#define AQFS_FRAME_H

#include "buf.h"

struct frames {
    struct buf line; /* what has come of a line that has not ended */
    size_t most;     /* the most bytes of a line */
    bool skipping;   /* the line has more: it was told of, and its rest is dropped */
};

/* Takes a line, N bytes without the newline; TEXT is NULL for a line that is too long, or for which
 * there is no memory. */
typedef void frame_taker(void *data, const char *text, size_t n);

void frames_feed(struct frames *frames, const char *bytes, size_t n, frame_taker *take, void *data);

/* The stream has ended: what stands behind its last newline is a line, too. */
void frames_end(struct frames *frames, frame_taker *take, void *data);

#endif
