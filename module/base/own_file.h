/* own_file.h -- files of our own: their temporary names, writing them, their locks, and the small
 * ones in the state directory, which are read and written whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_OWN_FILE_H
#define AQFS_OWN_FILE_H

#include "budget.h"
#include "buf.h"
#include "error.h"

/* Names for temporary files: nobody can guess them, and we recognise them.  ".aqfs-", 32
 * hexadecimal digits, ".tmp" and a NUL. */
#define TEMPORARY_NAME 43

/* False when the kernel gives no random bytes. */
bool temporary_name(char out[TEMPORARY_NAME]);
bool is_temporary_name(const char *name);

/* A second name beside a temporary NAME: the same digits, but with ".old" at the end. */
void temporary_second(const char *name, char out[TEMPORARY_NAME]);
/* The same with ".bak" at the end: a name that is not temporary, for what may not be removed. */
void temporary_kept(const char *name, char out[TEMPORARY_NAME]);

/* Temporary names that share their first digits belong together.  NAME gets those of OWNER. */
void temporary_share(char name[TEMPORARY_NAME], const char *owner);
/* Does NAME, which may be a second one, share them with OWNER? */
bool temporary_is_shared(const char *name, const char *owner);

#define WRITE_ON (-1) /* as OFFSET: write at the file's own position */

/* Returns 0 or an errno value; after an error, a part may have been written. */
int write_whole(int fd, const char *bytes, size_t n, int64_t offset);

/* Locks FD exclusively, and waits for that as long as the budget lasts.  The lock ends when the
 * descriptor is closed, and so when the process ends. */
int lock_wait(int fd, struct budget *budget, struct error *e);

/* Makes the directory PATH and its missing parents, with mode 0700, and has the
 * disk take their names: returns 0, or an errno value if it does not.  Opening PATH afterwards
 * shows whether it could be made at all. */
int state_make_directories(const char *path);

/* Makes the file NAME and syncs it; AQFS_EXISTS when there is one of that name. */
int state_make(int dir, const char *name, const char *bytes, size_t n, struct error *e);

/* Replaces the file NAME, or makes it, atomically.  With LASTING it syncs the file and the
 * directory. */
int state_replace(int dir, const char *name, const char *bytes, size_t n, bool lasting,
                  struct error *e);

/* Is there anything of that NAME? */
bool state_has(int dir, const char *name);

/* Reads the whole regular file NAME.  AQFS_NOT_FOUND; AQFS_TOO_LARGE beyond MOST bytes. */
int state_read(int dir, const char *name, size_t most, struct buf *out, struct error *e);

/* Calls EACH with every name in DIR except "." and "..".  0 or an errno: names may be missing then.
 */
int state_each(int dir, void (*each)(void *data, int dir, const char *name), void *data);

/* Removes the temporary files that killed writers left in DIR. */
void state_sweep(int dir);

#endif
