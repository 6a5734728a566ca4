/* whole_file.h -- planning to write a whole file: create_file, write_file, write_bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WHOLE_FILE_H
#define AQFS_WHOLE_FILE_H

#include "call.h"
#include "plan.h"

/* What is to be written, but for its bytes. */
struct whole_file {
    struct text_ref path;
    bool may_replace, append, is_text;
};

/* What the arguments path and mode say. */
struct whole_file whole_file_by_mode(const struct call *c);

/* AQFS_TOO_LARGE where content of N bytes is over the limit. */
int check_content_size(struct call *c, size_t n);

/* Appends the argument content, which must be text. */
int take_content_text(struct call *c, struct buf *out);

/* Adds the change that writes BYTES, and the directories that it needs, to the plan. */
int plan_whole_file(struct call *c, struct plan *p, const struct whole_file *r, struct buf *bytes);

#endif
