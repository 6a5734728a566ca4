/* SPDX-License-Identifier: MIT */
/* stream.h -- what `git diff-tree --stdin -p` writes: patches, each behind the id of its commit. */
#ifndef PATCH_STREAM_H
#define PATCH_STREAM_H

#include "buf.h"

#include <stdbool.h>
#include <stdio.h>

#define ID_LENGTH 40

struct stream {
    FILE *file;
    char *line; /* read ahead: the id of the next commit, or NULL at the end */
    size_t room;
    struct buf patch;
};

/* Starts COMMAND. */
void stream_open(struct stream *s, const char *command);

/* The id and the patch of the next commit; false at the end. */
bool stream_next(struct stream *s, char id[ID_LENGTH + 1]);
void stream_close(struct stream *s);

#endif
