/* commit_parts.h -- what the parts of a commit share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_COMMIT_PARTS_H
#define AQFS_COMMIT_PARTS_H

#include "commit.h"
#include "journal.h"
#include "node.h"
#include "own_file.h"
#include "plan_check.h"

/* How many replaced files stay open, and guarded from writers, until the commit ends.  Each takes a
 * descriptor. */
#define GUARDS 64

/* A change, and what has been done of it and can be undone. */
struct commit_step {
    struct change *change;
    char temp[TEMPORARY_NAME]; /* beside the target: names the new file, then what was displaced */
    bool touched;              /* something of it may have been done */
    bool displaced;            /* temp names what was at the target */
    uint64_t moved;            /* inode of what was moved */
    uint64_t directory;        /* inode of the directory of the target, once it was opened */
    struct info made;
    struct node guard;  /* the file that is replaced, open */
    bool guarded;       /* the kernel makes programs wait that want to write to it */
    struct node staged; /* the new file, open until it is on disk */
};

struct commit {
    struct work *work;
    const struct plan *plan;
    struct aqfs_workspace *ws;
    const struct backend *backend;
    struct commit_step *steps;
    struct journal_step *records; /* of the steps, for the journal and for undoing them */
    size_t n;
    bool makes_directories, clears; /* some change does: see CHANGE_MAKE_DIRECTORY, clears */
    bool in_any_order;              /* no change deletes or moves, so none waits for another */
    struct parent kept;             /* the directory opened last, or zeroed */
    const struct place *kept_for;
    uint64_t kept_judged;      /* its inode, if it is known to be one that the plan was made for */
    struct node whole;         /* on the file system that is synced as a whole, or zeroed */
    bool needs_cleanup;        /* something could not be put back or removed */
    pthread_mutex_t *fetching; /* held while bytes are fetched: that is for one thread at a time */
    struct error *e;
};

/* -- commit_directory.c */

/* Opens the directory of the place AT.  The caller does not close it: it stays open for the next
 * places in the same directory, even if that is renamed meanwhile.  After commit_forget_parent the
 * path is looked up again. */
int commit_parent(struct commit *m, const struct place *at, struct parent *out, struct error *e);
void commit_forget_parent(struct commit *m);

/* The same for the target of STEP.  AQFS_STALE if that directory is another one than was judged. */
int commit_target(struct commit *m, struct commit_step *step, struct parent *out);

/* -- commit_windows.c: many steps in no particular order, by several threads */

/* How many steps one thread does together. */
#define WINDOW 32

/* How many new files a thread keeps open, for the disk to take them together. */
#define OPEN_AT_ONCE 8

/* Calls DO_WINDOW for all steps, for WINDOW of them at a time and by several threads.  Each call
 * has its own error and directory, and may set `needs_cleanup`.  Returns AQFS_OK, or the error of
 * the first window that failed of those that were begun. */
int commit_windows(struct commit *m, int (*do_window)(struct commit *, size_t from, size_t to));

/* -- commit_step.c: new files and directories, before anything has its name */

int stage_directories(struct commit *m);

/* Stages the new files of the steps FROM to TO. */
int stage_files(struct commit *m, size_t from, size_t to);

/* Gives new directories their permissions, when nothing more is to be made in them. */
int finish_directories(struct commit *m);

/* -- commit_step.c: one step, and the comparisons around it */

int apply_step(struct commit *m, struct commit_step *step);

/* Does the deletions that make room for directories, which come before everything else. */
int apply_clearing(struct commit *m);

/* -- commit_keep.c: a record of the commit, once it counts and before what it replaced is removed
 */

/* ON_DISK: the disk has the new names for sure. */
void commit_keep(struct commit *m, bool on_disk);

/* -- commit.c: for commit_keep */

/* Does the journal say that the commit is done, for a process that recovers after this one was
 * killed?  That one puts nothing back then.  The journal of one step says so from now on. */
bool commit_is_known_done(struct commit *m);

/* -- commit_step.c, again */

/* Did another program write to a file after it was displaced, or ask to?  AQFS_STALE if so. */
int check_quiet(struct commit *m);

#endif
