/* memory_tree.h -- files and directories that never change.
 *
 * A changed tree is a new tree: it has new directories above the change, and
 * shares everything else with the old one.  Keeping an object keeps the whole
 * tree below it; two trees that have the same object at a path are equal below
 * that path.  Objects are reference-counted: any thread may keep and drop them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MEMORY_TREE_H
#define AQFS_MEMORY_TREE_H

#include "memory_map.h"

#include <stdatomic.h>
#include <stdint.h>

/* Counts the bytes of all trees of one workspace, snapshots included.  Every object that it counts
 * keeps it. */
struct memory_meter {
    atomic_uint users;
    _Atomic int64_t bytes;
    _Atomic uint64_t inodes; /* the last inode number given out */
};

/* A meter with one user, or NULL without memory. */
struct memory_meter *memory_meter_new(void);

/* Count one user more, or one less.  memory_meter_drop(NULL) does nothing. */
struct memory_meter *memory_meter_keep(struct memory_meter *meter);
void memory_meter_drop(struct memory_meter *meter);

/* The memory that an object takes besides its bytes, roughly. */
#define MEMORY_OBJECT_BYTES 256

/* The bytes of a file, shared by its copies. */
struct memory_bytes {
    atomic_uint users;
    struct memory_meter *meter;
    size_t n;
    char data[];
};

struct memory_object {
    atomic_uint users;
    bool is_directory;
    bool executable;                 /* of a mounted file: a session makes it executable */
    uint64_t inode;                  /* a directory keeps it when its entries change */
    uint64_t revision;               /* of a file: the number of writes so far */
    int64_t files;                   /* the number of files below a directory; 1 for a file */
    int64_t created_ns, modified_ns; /* whole milliseconds */
    struct memory_meter *meter;
    struct memory_bytes *bytes; /* of a file */
    struct memory_map *entries; /* of a directory */
};

/* The time in nanoseconds, cut to whole milliseconds. */
int64_t memory_clock(void);

/* Room for N bytes, which the caller fills; NULL without memory. */
struct memory_bytes *memory_bytes_new(struct memory_meter *meter, size_t n);

/* Count one user more, or one less.  memory_bytes_drop(NULL) does nothing. */
struct memory_bytes *memory_bytes_keep(struct memory_bytes *bytes);
void memory_bytes_drop(struct memory_bytes *bytes);

/* A file with BYTES, which are dropped on failure.  It continues LIKE, which may be NULL: it has
 * the creation time of LIKE, and one write more.  NULL without memory. */
struct memory_object *memory_file_new(struct memory_meter *meter, struct memory_bytes *bytes,
                                      const struct memory_object *like);

/* An empty directory; NULL without memory. */
struct memory_object *memory_directory_new(struct memory_meter *meter);

/* Count one user more, or one less.  OBJECT may be NULL. */
struct memory_object *memory_object_keep(struct memory_object *object);
void memory_object_drop(struct memory_object *object);

/* The object at PATH, relative and canonical, below TOP; "" is TOP itself.  NULL when there is
 * none; then *THROUGH_FILE says whether the reason is a file above it.  THROUGH_FILE may be NULL.
 */
struct memory_object *memory_tree_find(struct memory_object *top, const char *path,
                                       bool *through_file);

/* A new version of DIRECTORY, modified now, with CHILD as NAME, or without NAME where CHILD is
 * NULL. NULL without memory. */
struct memory_object *memory_directory_with(const struct memory_object *directory, const char *name,
                                            struct memory_object *child);

/* A new version of TOP with DIRECTORY in the place of the existing directory PATH.  NULL without
 * memory. */
struct memory_object *memory_tree_with(const struct memory_object *top, const char *path,
                                       struct memory_object *directory);

/* A new version of TOP with OBJECT at PATH.  Missing directories are made; an object at PATH, or a
 * file in the place of a directory above it, is replaced.  NULL without memory. */
struct memory_object *memory_tree_put(const struct memory_object *top, const char *path,
                                      struct memory_object *object);

#endif
