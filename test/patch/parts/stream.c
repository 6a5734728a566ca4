/* SPDX-License-Identifier: MIT */
/* stream.c -- what `git diff-tree --stdin -p` writes: patches, each behind the id of its commit:
 * see stream.h. */
#include "stream.h"

#include "die.h"

#include <stdlib.h>
#include <string.h>

static bool stream_is_id(const char *line, size_t n) {
    return n == ID_LENGTH + 1 && strspn(line, "0123456789abcdef") == ID_LENGTH;
}

/* Appends lines to the patch up to the next id. */
static void stream_read_on(struct stream *s) {
    for (ssize_t n; (n = getline(&s->line, &s->room, s->file)) > 0;) {
        if (stream_is_id(s->line, (size_t)n))
            return;
        buf_add(&s->patch, s->line, (size_t)n);
    }
    free(s->line);
    s->line = NULL;
}

void stream_open(struct stream *s, const char *command) {
    *s = (struct stream){.file = popen(command, "r")}; // NOLINT(cert-env33-c): a test, and git
    if (!s->file)
        die("%s: not started", command);
    stream_read_on(s);
}

bool stream_next(struct stream *s, char id[ID_LENGTH + 1]) {
    if (!s->line)
        return false;
    memcpy(id, s->line, ID_LENGTH);
    id[ID_LENGTH] = '\0';
    buf_clear(&s->patch);
    stream_read_on(s);
    return true;
}

void stream_close(struct stream *s) {
    if (pclose(s->file) != 0)
        die("git failed");
    free(s->line);
    buf_free(&s->patch);
}
