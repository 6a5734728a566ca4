/* state_file.h -- our small files in the state directory, read and written whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_STATE_FILE_H
#define AQFS_STATE_FILE_H

#include "buf.h"
#include "error.h"

/* Makes the directory PATH and its missing parents, with mode 0700.  Opening PATH afterwards shows
 * whether that worked. */
void state_make_directories(const char *path);

/* Makes the file NAME and syncs it; AQFS_EXISTS when there is one of that name. */
int state_make(int dir, const char *name, const char *bytes, size_t n, struct error *e);

/* Replaces the file NAME, or makes it, atomically.  With LASTING it syncs the file and the
 * directory. */
int state_replace(int dir, const char *name, const char *bytes, size_t n, bool lasting,
                  struct error *e);

/* Reads the whole regular file NAME.  AQFS_NOT_FOUND; AQFS_TOO_LARGE beyond MOST bytes. */
int state_read(int dir, const char *name, size_t most, struct buf *out, struct error *e);

/* Calls EACH with every name in DIR except "." and "..". */
void state_each(int dir, void (*each)(void *data, int dir, const char *name), void *data);

/* Removes the temporary files that killed writers left in DIR. */
void state_sweep(int dir);

#endif
