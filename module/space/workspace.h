/* workspace.h -- a project, its boundary and its options.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WORKSPACE_H
#define AQFS_WORKSPACE_H

#include "aqfs.h"
#include "args.h"
#include "backend.h"
#include "libraries.h"
#include "limit.h"
#include "rules.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

/* A directory that paths may lie in, held open since the workspace was opened. */
struct root {
    int fd;     /* O_PATH */
    char *path; /* canonical, absolute, without trailing slash ("" for /) */
    size_t len;
    char *alias; /* the caller's spelling where that differs, or NULL */
    size_t alias_len;
    bool cross_mounts;  /* the root of an unrestricted workspace: mounts below are part of it */
    bool is_well_known; /* beneath_is_well_known */
    uint64_t device, inode, mount;
};

enum resolver { RESOLVER_AUTO, RESOLVER_OPENAT2, RESOLVER_FALLBACK };

struct aqfs_workspace {
    const struct backend *backend;
    const struct keeper *keeper; /* how its snapshots are kept: snapshot.h */
    struct root *roots;          /* [0] is the project's; further ones come from allowed_paths */
    size_t root_count;
    const char *root_method; /* "explicit", "git", ... */
    struct rules rules;
    struct rules protects; /* protected_paths, as deny rules */
    bool unrestricted;
    bool read_only;
    bool cross_mounts;
    enum resolver resolver;
    _Atomic int openat2_missing; /* only the negative answer is remembered */
    struct limits limits;
    char *home;

    struct memory *memory;         /* of a workspace in memory, and what a session begins with */
    struct session_state *session; /* of a session */
    struct mounted *mounted;       /* what was copied in at opening: see mount.h */
    size_t mounted_count;

    char *state_dir;              /* for journals, or NULL */
    pthread_mutex_t commit_mutex; /* see commit_lock.h; guards the journal */
    int commit_file;              /* the same between processes, or negative */
    struct journal *journal;
    struct pending_cleanup *pending_cleanup; /* see pending_cleanup.h; guarded by commit_mutex */
    atomic_bool journal_left;                /* one of ours waits for journal_settle */

    struct libraries libraries;
    void (*release)(struct aqfs_workspace *); /* closes what it holds open: workspace_close.c */

    pthread_mutex_t lock; /* guards the two below */
    int running;
    bool closed;
};

/* GIVEN as configured, made absolute: `~/` is home, a relative path lies in the project. */
int workspace_absolute(const struct aqfs_workspace *ws, struct text_ref given, struct buf *out,
                       struct error *e);

/* For backends where roots[0] is all there is: adds the rules of allowed_paths, which must lie in
 * it. */
int workspace_allow_inside(struct aqfs_workspace *ws, const struct options *o, struct error *e);

/* Counts a call in: AQFS_INVALID_ARGUMENT when the workspace is closed, or what the backend says.
 */
int workspace_enter(struct aqfs_workspace *ws, struct error *e);
void workspace_leave(struct aqfs_workspace *ws);

/* Locates, judges and opens the path GIVEN, as the caller spelled it: all of doc/threats.org,
 * "The boundary, step by step".
 * When the tree changes between judging and opening it starts again, 64 times at most, then
 * AQFS_RACED. PLACE says where it really is. */
int workspace_open_path(struct aqfs_workspace *ws, struct text_ref given, enum open_kind kind,
                        struct place *place, struct node *node, struct error *e);

/* Locates and judges only. */
int workspace_locate(struct aqfs_workspace *ws, struct text_ref given, unsigned flags,
                     struct place *place, struct error *e);

/* Is the entry denied to listings and walks?  PATH is relative to ROOT. */
bool workspace_hides(const struct aqfs_workspace *ws, const struct root *root, const char *path,
                     size_t n);

/* Does the path lie under one of the caller's protected_paths? */
bool workspace_protects(const struct aqfs_workspace *ws, const struct root *root, const char *path);

/* How a place is shown: relative to the project's root ("." for itself), absolute elsewhere. */
void place_show(const struct aqfs_workspace *ws, const struct root *root, const char *path,
                size_t n, struct buf *out);

#endif
