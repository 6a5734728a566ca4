/* state_file.h -- whole small files of our own, in directories of the state directory.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_STATE_FILE_H
#define AQFS_STATE_FILE_H

#include "buf.h"
#include "error.h"

/* Makes the directory PATH and those above it, as far as they are missing: 0700. */
void state_make_directories(const char *path);

/* A new file NAME, on disk when this returns; AQFS_EXISTS where there is one. */
int state_make(int dir, const char *name, const char *bytes, size_t n, struct error *e);

/* Puts the file NAME in the place of what has that name, whole or not at all.  LASTING also on
 * disk, and its name. */
int state_replace(int dir, const char *name, const char *bytes, size_t n, bool lasting,
                  struct error *e);

/* All of the regular file NAME, at most MOST bytes; AQFS_NOT_FOUND, AQFS_TOO_LARGE. */
int state_read(int dir, const char *name, size_t most, struct buf *out, struct error *e);

/* Calls EACH with every name in DIR, "." and ".." left out. */
void state_each(int dir, void (*each)(void *data, int dir, const char *name), void *data);

/* Removes the temporary names that writers who were killed have left. */
void state_sweep(int dir);

#endif
