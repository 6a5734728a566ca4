/* folded_name.h -- a name as a careless file system or reader may take it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FOLDED_NAME_H
#define AQFS_FOLDED_NAME_H

#include "path.h"

#include <stddef.h>

/* Room for any folded name and its NUL. */
#define FOLDED_NAME_MAX (NAME_BYTES_MAX + 1)

/* Writes the component NAME in lower case, without code points that are not displayed, and without
 * the trailing dots and spaces that some file systems drop.  Only the part before a colon counts:
 * on NTFS `.git::$INDEX_ALLOCATION` is a name of `.git`.  Bytes beyond ASCII that no file system
 * takes for ASCII letters stay as they are.  Returns the length, which is not greater than N; a
 * name that no file system could have is folded to "". */
size_t fold_name(const char *name, size_t n, char out[FOLDED_NAME_MAX]);

#endif
