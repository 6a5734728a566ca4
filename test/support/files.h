/* files.h -- making files and directories for a test, looking at them and removing them.
 *
 * Each dies (die.h) when it cannot do what it says.  The functions that make something also make
 * the directories above it, with mode 0755.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_FILES_H
#define TEST_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct buf;

/* The text that FORMAT makes, usually a path; the caller frees it. */
char *path_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

void make_parents(const char *path);
/* Leaves an existing directory as it is. */
void make_directory(const char *path);
/* An existing file keeps its inode and its mode. */
void make_file(const char *path, const char *text);
void make_bytes(const char *path, const void *bytes, size_t n);
/* Gives the file the mode MODE, whatever the umask. */
void make_file_as(const char *path, const char *text, mode_t mode);
void make_link(const char *path, const char *target);
/* Gives the file PATH the name OTHER, too: a hard link. */
void make_second_name(const char *path, const char *other);

/* Makes a directory that git takes for a repository, though an empty one. */
void make_repository(const char *path);
/* Makes what a repository keeps of a linked working tree: STORE is in its directory worktrees. */
void make_worktree_store(const char *store);

/* Makes a directory "PLACE/PREFIX-XXXXXX" and returns its canonical path; the caller frees it. */
char *make_temporary_in(const char *place, const char *prefix);
/* The same, in /dev/shm if it is writable, because a sweep syncs a million times; else in
 * temporary_place. */
char *make_temporary(const char *prefix);
/* $TMPDIR or /tmp. */
const char *temporary_place(void);

/* Removes PATH and everything below it, however deep and whatever the permissions.  PATH need not
 * exist.  A file that cannot be removed stays. */
void remove_all(const char *path);
/* Copies FROM to TO, with its links, permissions, owners and times. */
void copy_tree(const char *from, const char *to);

/* The text of a small file, or "(none)"; valid until the next call. */
const char *text_of(const char *path);
/* Appends the bytes of a file. */
void read_whole(const char *path, struct buf *out);

/* The names in a directory, sorted by bytes, without "." and ".."; free_names frees them.  A
 * missing directory has none. */
struct names {
    char **names;
    size_t n;
};
struct names names_below(const char *directory);
void free_names(struct names *names);

/* The number of descriptors and threads of this process. */
int open_descriptors(void);
int running_threads(void);

#endif
