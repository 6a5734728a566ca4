/* opened_edit.h -- an edit of a file: what it begins and ends with, whatever the edit.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_OPENED_EDIT_H
#define AQFS_OPENED_EDIT_H

#include "call.h"
#include "linewise.h"
#include "replace.h"
#include "textfile.h"

/* *OUT is the change of the file that the argument path names, with its bytes read, and compared
 * with the argument version where that was given. */
int open_edit(struct call *c, struct plan *p, struct change **out);

/* Sets what the file will hold to TEXT, whose SPANS are new, and keeps the lines about them for the
 * reply. */
int finish_edit(struct call *c, struct plan *p, struct change *change, const struct textfile *file,
                struct buf *text, const struct span *spans, size_t n);

#endif
