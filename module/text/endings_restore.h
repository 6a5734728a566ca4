/* endings_restore.h -- giving the lines of a text that was edited with LF their own endings back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_ENDINGS_RESTORE_H
#define AQFS_ENDINGS_RESTORE_H

#include "args.h"
#include "buf.h"

struct libraries;

/* RAW has LF and CRLF, OLD is the same text with LF alone, and NEW was made of OLD.  Writes NEW to
 * OUT, which must be empty.  A line that both have gets the ending that it has in RAW; a new one
 * gets that of the line which it replaces, else of the line before it, else of the line behind it.
 */
int endings_restore(struct libraries *libraries, struct text_ref raw, struct text_ref old,
                    struct text_ref new, struct buf *out, struct error *e);

#endif
