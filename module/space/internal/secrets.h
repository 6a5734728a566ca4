/* secrets.h -- what is secret in a workspace: see secret.h.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SECRETS_H
#define AQFS_SECRETS_H

#include "glob.h"
#include "secret.h"

#include <pthread.h>

struct own_secret {
    struct secret_entry kind;
    char *text;        /* folded */
    struct glob *glob; /* NULL where the text is plain */
};

struct file_identity {
    uint64_t device, inode;
};

/* Where a link of a secret name leads. */
struct secret_target {
    const struct root *root;
    char *path;
    size_t len;
};

struct secret_twins {
    pthread_mutex_t lock;        /* guards what follows */
    struct file_identity *files; /* of several names, of which one is secret */
    size_t file_n;
    struct secret_target *targets;
    size_t target_n;
    bool cut;
    int64_t fresh_until_ns; /* by clock_now_ns */
    int64_t made_ns;        /* by the clock that files have their times from */
};

struct secrets {
    bool built_in;
    struct own_secret *own;
    size_t own_n;
    struct secret_twins twins;
};

void secret_twins_clear(struct secret_twins *t);

#endif
