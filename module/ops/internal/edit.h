/* edit.h -- the steps that edit_file and insert_at_line share; they are in edit_file.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_EDIT_H
#define AQFS_EDIT_H

#include "call.h"
#include "lines.h"
#include "replace.h"
#include "snippet.h"
#include "textfile.h"

/* AQFS_STALE unless VERSION is that of the bytes that CHANGE's file, PATH, has now. */
int check_version(struct call *c, struct change *change, struct text_ref path,
                  struct text_ref version);

/* Adds the change of the file that the argument `path` names to P, and reads the file's bytes; *OUT
 * is that change.  AQFS_STALE when the argument `version` is given and is not that of the bytes;
 * AQFS_IS_DIRECTORY, AQFS_NOT_REGULAR and the errors of plan_locate and plan_read. */
int open_edit(struct call *c, struct plan *p, struct change **out);

/* Sets what CHANGE's file, of which FILE is the text, will hold to TEXT.  SPANS, N of them, are the
 * places in TEXT that are new: P keeps them and the lines around them for the reply.
 * AQFS_TOO_LARGE when TEXT is over limits.write_bytes, and the errors of textfile_store. */
int finish_edit(struct call *c, struct plan *p, struct change *change, const struct textfile *file,
                struct buf *text, const struct span *spans, size_t n);

/* The bytes that CHANGE's file will hold, as text. */
struct text_ref edit_bytes_written(const struct change *change);

/* Adds to the words OUT about line endings that TEXT ends without one, if it does. */
void edit_say_unfinished(struct buf *out, struct text_ref text);

#endif
