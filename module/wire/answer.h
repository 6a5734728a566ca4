/* answer.h -- the answer of a call: printed data, or an error.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_ANSWER_H
#define AQFS_ANSWER_H

#include "aqfs.h"
#include "error.h"
#include "reply.h"

struct aqfs_reply {
    struct buf text;
    struct buf words; /* where they are not in the text; else without data */
    enum code code;
};

/* The words that are apart, valid UTF-8; NULL where they are inside, as those of an error are. */
const char *reply_words(const aqfs_reply *reply, size_t *n);

/* A reply from a finished writer, or from an error.  Used by every door. */
aqfs_reply *reply_finish(struct reply *r);
aqfs_reply *reply_from_error(int format, const struct error *e, const char *path, size_t path_n);
/* The same with further members, printed in FORMAT, in its map. */
aqfs_reply *reply_from_error_with(int format, const struct error *e, const char *path,
                                  size_t path_n, const struct buf *members);

#endif
