/* ignore_file.h -- reading files of ignore rules.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_IGNORE_FILE_H
#define AQFS_IGNORE_FILE_H

#include "buf.h"
#include "workspace.h"

/* Appends the bytes of the file NAME and a newline to OUT; the first N bytes of DIRECTORY name
 * where it is, relative to ROOT.  Nothing where there is no regular file, or one that the rules
 * hide: git follows no link here, and opening anything else might have an effect.  False if it has
 * more than IGNORE_BYTES_MAX. */
bool ignore_file_add(struct aqfs_workspace *ws, const struct root *root, const char *directory,
                     size_t n, const char *name, struct buf *out);

#endif
