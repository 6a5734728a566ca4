/* stream.h -- what `git diff-tree --stdin -p` writes: patches, each behind the id of its commit. */
#ifndef PATCH_STREAM_H
#define PATCH_STREAM_H

#include "buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ID_LENGTH 40

struct stream {
    FILE *file;
    char *line; /* read ahead: the id of the next commit, or NULL at the end */
    size_t room;
    struct buf patch;
};

static inline bool stream_is_id(const char *line, size_t n) {
    return n == ID_LENGTH + 1 && strspn(line, "0123456789abcdef") == ID_LENGTH;
}

/* Appends lines to the patch up to the next id. */
static inline void stream_read_on(struct stream *s) {
    for (ssize_t n; (n = getline(&s->line, &s->room, s->file)) > 0;) {
        if (stream_is_id(s->line, (size_t)n))
            return;
        buf_add(&s->patch, s->line, (size_t)n);
    }
    free(s->line);
    s->line = NULL;
}

/* Starts COMMAND. */
static inline void stream_open(struct stream *s, const char *command) {
    *s = (struct stream){.file = popen(command, "r")}; // NOLINT(cert-env33-c): a test, and git
    if (!s->file) {
        perror(command);
        exit(2);
    }
    stream_read_on(s);
}

/* The id and the patch of the next commit; false at the end. */
static inline bool stream_next(struct stream *s, char id[ID_LENGTH + 1]) {
    if (!s->line)
        return false;
    memcpy(id, s->line, ID_LENGTH);
    id[ID_LENGTH] = '\0';
    buf_clear(&s->patch);
    stream_read_on(s);
    return true;
}

static inline void stream_close(struct stream *s) {
    if (pclose(s->file) != 0) {
        fprintf(stderr, "git failed\n");
        exit(2);
    }
    free(s->line);
    buf_free(&s->patch);
}

#endif
