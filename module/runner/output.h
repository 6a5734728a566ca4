/* output.h -- an output of the command, on its way to the owner.
 *
 * The command never waits for its owner.  The owner says how many bytes it takes; of what comes
 * beyond that, the last ones are kept, and those before them are counted.  So a flood costs
 * the owner nothing, and the end of an output is never lost.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_OUTPUT_H
#define AQFS_OUTPUT_H

#include "buf.h"

struct stream {
    int fd; /* -1 when it has ended */
    bool terminal;
    bool unheld;      /* it is a terminal that no process had open when it was last read */
    const char *word; /* of the records that hold its bytes */
    uint64_t credit;  /* how many bytes the owner takes */
    uint64_t lost;    /* how many are gone, before those that are kept */
    char *ring;       /* the bytes that are kept: KEPT of them, from START on */
    size_t keep, start, kept;
};

/* Reads some of what is there and adds to RECORDS what the owner takes.  Returns false when there
 * is nothing more for now; at the end, fd is closed.  That of a terminal is not: by its end the
 * kernel would kill a command that has closed its output and is about to exit. */
bool stream_read(struct stream *stream, struct buf *records);

/* Adds to RECORDS what was kept, if the owner takes any or LAST says that there will be no more. */
void stream_flush(struct stream *stream, struct buf *records, bool last);

void stream_close(struct stream *stream);

#endif
