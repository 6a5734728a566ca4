/* memory.h -- the backend whose bytes are in memory, and its trees as values.
 *
 * A workspace has one current tree.  Trees never change: a change replaces the
 * current tree by a new one, which shares all unchanged parts with the old one.
 * So a snapshot is a mark, which keeps the tree that is current now.
 *
 *     struct memory_root *before = memory_mark(ws);       O(1), copies nothing
 *     ...                                                 the workspace changes
 *     memory_compare(before, now, each, data);            looks at differences only
 *     code = memory_reset(ws, before, now, &e);           O(1), all or nothing
 *     memory_unmark(before);
 *
 * A mark may outlive its workspace, and any thread may use it.  Files that only
 * marks keep count against limits.memory_bytes, too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MEMORY_H
#define AQFS_MEMORY_H

#include "memory_tree.h"
#include "workspace.h"

/* The path of a memory workspace's root. */
#define MEMORY_ROOT "/memory"

extern const struct backend memory_backend;

struct memory {
    pthread_mutex_t lock;          /* guards `top`; held for the whole of a change */
    struct memory_object *top;     /* the current tree */
    struct memory_object *initial; /* the tree at opening, mounts included, for `reset` */
    struct memory_meter *meter;
    int64_t most;             /* limits.memory_bytes */
    struct memory_kept *kept; /* snapshots, the newest first; the snapshot room owns them */
    void (*free_kept)(struct memory_kept *newest); /* set with the first snapshot */
    uint64_t kept_count;                           /* snapshots taken so far */
};

/* A memory with an empty tree, for at most MOST bytes; NULL without memory.  memory_free(NULL) does
 * nothing. */
struct memory *memory_new(int64_t most);
void memory_free(struct memory *memory);

/* The current tree, for the caller to drop. */
struct memory_object *memory_top(struct memory *memory);

/* -- marks */

struct memory_root; /* a kept tree */

/* Marks the current tree of a workspace whose backend is memory_backend; NULL without memory. */
struct memory_root *memory_mark(struct aqfs_workspace *ws);

/* Another mark of the same tree; NULL without memory. */
struct memory_root *memory_mark_again(const struct memory_root *root);

/* ROOT may be NULL. */
void memory_unmark(struct memory_root *root);

/* Are A and B the same tree?  False also when a change between them was undone by another one. */
bool memory_same(const struct memory_root *a, const struct memory_root *b);

/* Makes the tree of ROOT the current one.  AQFS_STALE, and nothing done, when the current tree is
 * not EXPECTED, which may be NULL for any.  Take commit_lock first: a commit under way must end
 * before. */
int memory_reset(struct aqfs_workspace *ws, const struct memory_root *root,
                 const struct memory_root *expected, struct error *e);

/* A difference at PATH; `before` or `after` is NULL where that side has no object.  A directory on
 * one side only is reported, followed by everything below it.  A directory on both sides is not
 * reported itself, only the differences below it. */
struct memory_change {
    const char *path; /* canonical, NUL-terminated, valid during the call */
    const struct memory_object *before, *after;
};

/* Calls EACH for every difference, directory by directory in bytewise order of names.  A non-zero
 * answer ends this, and is returned.  AQFS_LIMIT without memory. */
int memory_compare(const struct memory_root *before, const struct memory_root *after,
                   int (*each)(void *data, const struct memory_change *change), void *data);

/* The object at PATH of a mark, which owns it; NULL when there is none. */
const struct memory_object *memory_at(const struct memory_root *root, const char *path);

/* -- parts of memory_backend: memory_roots.c, memory_read.c, memory_write.c. */

/* The `object` of a node. */
struct memory_handle {
    struct memory *memory;
    struct memory_object *object; /* the object at the time of opening */
    char path[];                  /* the path of a directory, "" for a file */
};

/* The directory of HANDLE as it is now in the tree TOP, which owns it.  NULL, and AQFS_NOT_FOUND in
 * E, when another object, or none, is at its path. */
struct memory_object *memory_directory_now(const struct memory_handle *handle,
                                           struct memory_object *top, struct error *e);

/* The info of OBJECT. */
struct info memory_info(const struct memory_object *object);

/* Opens OBJECT, which is kept, as the node *OUT.  PATH is only used of a directory. */
int memory_node(struct memory *memory, struct memory_object *object, const char *path,
                struct node *out, struct error *e);

/* These have the contracts of backend.h. */
int memory_open_roots(struct aqfs_workspace *ws, const struct options *o, struct error *e);
int memory_start_anew(struct aqfs_workspace *ws, struct error *e);
int memory_make_directory(const struct node *dir, const char *name, struct error *e);
int memory_remove(const struct node *dir, const char *name, bool directory, struct error *e);
int memory_rename(const struct node *from, const char *name, const struct node *to,
                  const char *new_name, enum rename_kind kind, struct error *e);
int memory_stage(struct aqfs_workspace *ws, const struct node *dir, const char *name,
                 const struct node *like, const struct source *source, struct node *made,
                 struct error *e);

#endif
