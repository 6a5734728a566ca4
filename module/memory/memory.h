/* memory.h -- the backend whose bytes are in memory, and its trees as values.
 *
 * The workspace has one tree that counts; every change puts another in its
 * place, which shares all that is the same.  So a snapshot is a mark: the tree
 * that counts now, kept.
 *
 *     struct memory_root *before = memory_mark(ws);       O(1), copies nothing
 *     ...                                                 the workspace goes on changing
 *     memory_compare(before, now, each, data);            only what differs is looked at
 *     code = memory_reset(ws, before, now, &e);           O(1), all or nothing
 *     memory_unmark(before);
 *
 * A mark may be kept longer than its workspace, and used by any thread.  What
 * marks keep counts against limits.memory_bytes as well.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MEMORY_H
#define AQFS_MEMORY_H

#include "memory_tree.h"
#include "workspace.h"

/* Where absolute paths of a workspace in memory begin. */
#define MEMORY_ROOT "/memory"

extern const struct backend memory_backend;

struct memory {
    pthread_mutex_t lock; /* guards top, and is held while a change is made */
    struct memory_object *top;
    struct memory_object *initial; /* what the mounts brought, to begin with and after a reset */
    struct memory_meter *meter;
    int64_t most;             /* limits.memory_bytes */
    struct memory_kept *kept; /* snapshots, the newest first: the snapshot room's */
    void (*free_kept)(struct memory_kept *newest); /* set with the first of them */
    uint64_t kept_count;                           /* taken so far */
};

/* An empty tree, or NULL; memory_free may be given NULL. */
struct memory *memory_new(int64_t most);
void memory_free(struct memory *memory);

/* The tree that counts, kept once more. */
struct memory_object *memory_top(struct memory *memory);

/* -- marks */

struct memory_root; /* a whole tree, as it was */

/* The tree of a workspace whose backend is memory_backend; NULL when there is no memory. */
struct memory_root *memory_mark(struct aqfs_workspace *ws);
struct memory_root *memory_mark_again(const struct memory_root *root);
void memory_unmark(struct memory_root *root); /* NULL is allowed */

/* Are they the same tree?  Then nothing was changed between them, not even changed back. */
bool memory_same(const struct memory_root *a, const struct memory_root *b);

/* Puts the tree of ROOT in the place of what there is: AQFS_STALE, and nothing done, where that is
 * not EXPECTED, which may be NULL.  Take commit_lock before, for the calls that are being
 * committed. */
int memory_reset(struct aqfs_workspace *ws, const struct memory_root *root,
                 const struct memory_root *expected, struct error *e);

/* What differs at PATH: NULL on one side where there is nothing.  Of a directory that is only on
 * one side what is below it is told too, behind it; one that is on both sides is not told, but
 * what differs below it. */
struct memory_change {
    const char *path; /* canonical, NUL-terminated, valid during the call */
    const struct memory_object *before, *after;
};

/* Every difference in bytewise order of names, directory by directory, until EACH answers non-zero:
 * that code, or AQFS_LIMIT when there is no memory. */
int memory_compare(const struct memory_root *before, const struct memory_root *after,
                   int (*each)(void *data, const struct memory_change *change), void *data);

/* The object at PATH in a mark, its own; NULL where there is nothing. */
const struct memory_object *memory_at(const struct memory_root *root, const char *path);

/* -- parts of memory_backend: memory_roots.c, memory_read.c, memory_write.c.  Contracts are in
 * backend.h. */

/* What a node's `object` is. */
struct memory_handle {
    struct memory *memory;
    struct memory_object *object; /* as it was when it was opened */
    char path[];                  /* of a directory */
};

/* The directory that HANDLE is of, as it is below TOP and TOP's own; NULL, and AQFS_NOT_FOUND in E,
 * when it is no longer where it was. */
struct memory_object *memory_directory_now(const struct memory_handle *handle,
                                           struct memory_object *top, struct error *e);

/* What the object is, as backend.h wants it. */
struct info memory_info(const struct memory_object *object);

int memory_node(struct memory *memory, struct memory_object *object, const char *path,
                struct node *out, struct error *e);

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
