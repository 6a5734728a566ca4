/* audit.h -- the log of calls: one JSON object a line, as Emacs writes them (agent-q-fs-audit.el).
 *
 * A call that may change something is made only when its start is in the file; one that was asked
 * about, only when a third line says that it was approved.  Lines have names, sizes and decisions,
 * and never the contents of files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_AUDIT_H
#define AQFS_AUDIT_H

#include "reply.h"

#include <jansson.h>
#include <pthread.h>

/* A log that has become large is kept as FILE.1, and so on up to this number. */
#define AUDIT_OLDER_FILES 5

struct audit {
    const char *path; /* of the file; NULL for none */
    const char *root; /* of the workspace */
    char session[40]; /* begins the names of its calls */
    pthread_mutex_t lock;
    unsigned long count; /* guarded by lock, as is `broken` */
    bool broken;         /* the last line could not be written */
};

struct audited {
    char id[64];
    const char *tool;
    const char *client;
    enum tier tier;
    int64_t began_ns;     /* on CLOCK_MONOTONIC */
    const char *decision; /* "policy", "approved", "denied"; NULL for a call that only reads */
};

void audit_open(struct audit *audit, const char *path, const char *root);
void audit_close(struct audit *audit);

/* A call of TOOL begins.  AQFS_NOT_LOGGED if it may change something and that cannot be written. */
int audit_start(struct audit *audit, struct audited *call, const char *tool, enum tier tier,
                const char *client, struct error *e);

/* It was approved of, and is about to be made. */
int audit_decided(struct audit *audit, const struct audited *call, struct error *e);

/* It has ended with the words TEXT and, if it may change something or has failed, the data REPLY,
 * else NULL.  ARGS are its arguments. */
void audit_end(struct audit *audit, const struct audited *call, const json_t *args,
               const json_t *reply, bool truncated, const char *text, size_t n);

#endif
