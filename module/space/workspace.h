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
#include "own_file.h"
#include "rules.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

/* A directory in which paths may be used.  It is held open from the opening of the workspace on. */
struct root {
    int fd;     /* O_PATH */
    char *path; /* canonical, absolute, without trailing slash ("" for /) */
    size_t len;
    char *alias; /* the caller's spelling where that differs, or NULL */
    size_t alias_len;
    bool cross_mounts;  /* mounts below belong to it: the root of an unrestricted workspace */
    bool is_well_known; /* the answer of beneath_is_well_known */
    bool in_repository; /* inside a directory that git takes for a repository: git_tree.h */
    uint64_t device, inode, mount;
    int64_t created_ns; /* or TIME_UNKNOWN */
    char
        *other_names; /* absolute paths by which mounts show it as well, each with a NUL; or NULL */
    size_t other_names_len;
};

enum resolver { RESOLVER_AUTO, RESOLVER_OPENAT2, RESOLVER_FALLBACK };

struct aqfs_workspace {
    const struct backend *backend;
    const struct keeper *keeper; /* the keeper of its snapshots: snapshot.h */
    struct root *roots;          /* [0] is the project's; the others come from allowed_paths */
    size_t root_count;
    const char *root_method; /* "explicit", "git", ... */
    struct rules rules;
    struct rules protects;       /* protected_paths, as deny rules */
    struct git_reach *git_reach; /* what git obeys elsewhere: host/git_reach.h; or NULL */
    struct hidden *hidden;       /* what is restricted under other names: host/hidden.h; or NULL */
    struct secrets *secrets;     /* what a model is asked about reading: secret.h; or NULL */
    bool unrestricted;
    bool read_only;
    bool cross_mounts;
    enum resolver resolver;
    _Atomic int openat2_missing; /* 1 once the kernel has refused openat2 */
    struct limits limits;
    char *home;

    struct kept_plan *plans; /* plans that were shown: planned.c; guarded by lock */
    void (*free_plans)(struct kept_plan *);
    struct offer *offers; /* edits that a caller may accept: offer.c; guarded by lock */
    void (*free_offers)(struct offer *);

    struct shown_texts *shown; /* what callers were shown: shown_text.c; guarded by lock */
    void (*free_shown)(struct shown_texts *);

    struct memory *memory; /* the files in memory; of a session, those that it starts with */
    struct session_state *session; /* the state of a session, or NULL */
    struct mounted *mounted;       /* what was copied in at opening: mount.h */
    size_t mounted_count;

    char *state_dir;              /* for journals, or NULL */
    pthread_mutex_t commit_mutex; /* see journal.h; guards the journal */
    int commit_file; /* the lock file that does the same between processes, or negative */
    struct journal *journal;
    struct pending_cleanup *pending_cleanup; /* see pending_cleanup.h; guarded by commit_mutex */
    atomic_bool has_pending_cleanup;
    char review_key[TEMPORARY_NAME]; /* random: the ids of a review cover it */
    struct kept_memory *kept; /* see kept.h; guarded by lock, and what only commits use by theirs */
    atomic_bool journal_left; /* a commit of this process left its journal for journal_settle */
    _Atomic int64_t newer_journal; /* the format of a journal that is too new to recover, or 0 */

    struct libraries libraries;
    void (*release)(struct aqfs_workspace *); /* closes descriptors and tables: workspace_close.c */

    pthread_mutex_t lock; /* guards the two below, plans and offers */
    int running;          /* calls under way */
    bool closed;
};

/* Appends GIVEN, a path among the options, as an absolute path without trailing slash: `~/` is
 * home, and a relative path is below the project's root. */
int workspace_absolute(const struct aqfs_workspace *ws, struct text_ref given, struct buf *out,
                       struct error *e);

/* Says that the element I, GIVEN, of OPTION is not what was EXPECTED; E says why.  BEFORE is E as
 * it was before that was found. */
int workspace_bad_element(const char *option, size_t i, struct text_ref given, const char *expected,
                          const struct error *before, struct error *e);

/* For backends that have no root but roots[0]: adds the rules of allowed_paths, which must be
 * inside it. */
int workspace_allow_inside(struct aqfs_workspace *ws, const struct options *o, struct error *e);

/* Counts a call as running, so that closing the workspace waits for workspace_leave.
 * AQFS_INVALID_ARGUMENT when the workspace is closed, or an error of the backend's `begin`. */
int workspace_enter(struct aqfs_workspace *ws, struct error *e);
void workspace_leave(struct aqfs_workspace *ws);

/* Locates, judges and opens the path GIVEN, spelled by the caller: all of doc/threats.org, "The
 * boundary, step by step".  When the tree changes between judging and opening this starts again, at
 * most 64 times, then AQFS_RACED.  *PLACE is the canonical place.  Errors about the path name it as
 * it was GIVEN. */
int workspace_open_path(struct aqfs_workspace *ws, struct text_ref given, enum open_kind kind,
                        struct place *place, struct node *node, struct error *e);

/* Locates and judges GIVEN in the same way, without opening it. */
int workspace_locate(struct aqfs_workspace *ws, struct text_ref given, unsigned flags,
                     struct place *place, struct error *e);

/* The same, and appends the names that it passes to NAMES as place_show writes them, each with a
 * NUL: passed.h. */
int workspace_locate_named(struct aqfs_workspace *ws, struct text_ref given, unsigned flags,
                           struct place *place, struct buf *names, struct error *e);

/* Do the rules deny PATH, which is relative to ROOT?  Listings and walks leave such entries out. */
bool workspace_hides(const struct aqfs_workspace *ws, const struct root *root, const char *path,
                     size_t n);

/* Is PATH, relative to ROOT, one of protected_paths or below one? */
bool workspace_protects(const struct aqfs_workspace *ws, const struct root *root, const char *path);

/* Appends the place as it is shown: relative to the project's root ("." for the root itself),
 * absolute in other roots. */
void place_show(const struct aqfs_workspace *ws, const struct root *root, const char *path,
                size_t n, struct buf *out);

#endif
