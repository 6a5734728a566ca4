/* SPDX-License-Identifier: MIT */
/* operation.h -- patches through apply_patch, in a project of its own below $TMPDIR. */
#ifndef PATCH_OPERATION_H
#define PATCH_OPERATION_H

#include "aqfs.h"
#include "buf.h"

#include <stdbool.h>

struct operation {
    char *base, *project; /* directories, the second in the first */
    aqfs_workspace *ws;
    char error[40], message[600]; /* of the last patch, or "" */
};

/* Makes the project, empty. */
void operation_start(struct operation *o);
/* False where the patch is refused, for the reason in `error` and `message`. */
bool operation_apply(struct operation *o, const struct buf *patch);
void operation_end(struct operation *o);

#endif
