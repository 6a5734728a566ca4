/* memory_tree.h -- files and directories that never change.
 *
 * To change a tree is to make another, which shares with it all but the
 * directories above what differs.  Whoever keeps an object keeps the whole tree
 * below it as it is; two trees with the same object in a place are the same
 * below that place.  Objects are counted, and may be kept and dropped by any
 * thread.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MEMORY_TREE_H
#define AQFS_MEMORY_TREE_H

#include "memory_map.h"

#include <stdatomic.h>
#include <stdint.h>

/* What all trees of one workspace take, those of snapshots included: kept as long as anything that
 * is measured by it. */
struct memory_meter {
    atomic_uint users;
    _Atomic int64_t bytes;
    _Atomic uint64_t inodes; /* given out so far */
};

struct memory_meter *memory_meter_new(void);
struct memory_meter *memory_meter_keep(struct memory_meter *meter);
void memory_meter_drop(struct memory_meter *meter);

/* What an object takes beside its bytes, about. */
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
    bool executable;   /* of a file that a mount brought: what a session makes of it */
    uint64_t inode;    /* stays with a directory that gets other entries */
    uint64_t revision; /* of a file: how often it was written */
    int64_t files;     /* below a directory; of a file 1 */
    int64_t created_ns, modified_ns; /* whole milliseconds */
    struct memory_meter *meter;
    struct memory_bytes *bytes; /* of a file */
    struct memory_map *entries; /* of a directory */
};

/* The time, in nanoseconds that are whole milliseconds. */
int64_t memory_clock(void);

/* Room for N bytes, to be filled; NULL when there is no memory. */
struct memory_bytes *memory_bytes_new(struct memory_meter *meter, size_t n);
struct memory_bytes *memory_bytes_keep(struct memory_bytes *bytes);
void memory_bytes_drop(struct memory_bytes *bytes);

/* A file with BYTES, which is taken over also when there is no memory: NULL.  It follows LIKE,
 * which may be NULL: made when that was, and written once more. */
struct memory_object *memory_file_new(struct memory_meter *meter, struct memory_bytes *bytes,
                                      const struct memory_object *like);
/* An empty directory. */
struct memory_object *memory_directory_new(struct memory_meter *meter);

struct memory_object *memory_object_keep(struct memory_object *object);
void memory_object_drop(struct memory_object *object);

/* What PATH, relative and canonical, leads to below TOP, "" being TOP itself; NULL where there is
 * nothing.  *THROUGH_FILE, which may be NULL: because what is above it is a file. */
struct memory_object *memory_tree_find(struct memory_object *top, const char *path,
                                       bool *through_file);

/* DIRECTORY with NAME standing for CHILD, or for nothing where that is NULL: the same directory,
 * modified now.  NULL when there is no memory. */
struct memory_object *memory_directory_with(const struct memory_object *directory, const char *name,
                                            struct memory_object *child);

/* TOP with DIRECTORY in the place of the directory PATH, which is there.  NULL when there is no
 * memory. */
struct memory_object *memory_tree_with(const struct memory_object *top, const char *path,
                                       struct memory_object *directory);

/* TOP with OBJECT at PATH: directories are made on the way, and what was there goes, also where a
 * file is in the way.  NULL when there is no memory. */
struct memory_object *memory_tree_put(const struct memory_object *top, const char *path,
                                      struct memory_object *object);

#endif
