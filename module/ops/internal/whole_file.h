/* whole_file.h -- planning to write a whole file: create_file, write_file, write_bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WHOLE_FILE_H
#define AQFS_WHOLE_FILE_H

#include "call.h"
#include "plan.h"

/* How a file is to be written; the bytes come separately. */
struct whole_file {
    struct text_ref path;
    bool may_replace, append, is_text;
};

/* Takes the arguments `path` and `mode`; is_text is false. */
struct whole_file whole_file_by_mode(const struct call *c);

/* AQFS_TOO_LARGE when N bytes are more than limits.write_bytes. */
int check_content_size(struct call *c, size_t n);

/* Appends the argument `content` to OUT.  AQFS_TOO_LARGE, and the errors of textfile_check for what
 * is not text. */
int take_content_text(struct call *c, struct buf *out);

/* Adds to P the change that writes BYTES as R says, behind the directories that must be made for
 * it. AQFS_EXISTS, AQFS_IS_DIRECTORY, AQFS_NOT_REGULAR or AQFS_INVALID_ARGUMENT when what is at the
 * path cannot be written so, and the errors of the functions of plan.h. */
int plan_whole_file(struct call *c, struct plan *p, const struct whole_file *r, struct buf *bytes);

#endif
