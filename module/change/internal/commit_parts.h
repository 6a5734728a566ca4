/* commit_parts.h -- what the parts of a commit share; for commit*.c only.
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

/* So many files are kept open until the commit ends, to keep writers from them: each takes a
 * descriptor. */
#define GUARDS 64

/* What has been done of one change, and can be undone. */
struct commit_step {
    struct change *change;
    char temp[TEMPORARY_NAME]; /* beside the target: what replaces it, or what was replaced */
    bool touched;              /* something of it may have been done */
    bool displaced;            /* temp holds what was at the target */
    uint64_t moved;            /* inode of what was moved */
    struct info made;
    struct node guard;  /* what is replaced, open: who would write to it waits */
    bool guarded;       /* and nobody could */
    struct node staged; /* open until it is on disk */
};

struct commit {
    struct work *work;
    struct aqfs_workspace *ws;
    const struct backend *backend;
    struct commit_step *steps;
    struct journal_step *records; /* of the steps, for the journal and for undoing them */
    size_t n;
    struct parent kept; /* the directory opened last, or zeroed */
    const struct place *kept_for;
    struct node whole;         /* on the file system that is synced as a whole, or zeroed */
    bool needs_cleanup;        /* something could not be put back */
    pthread_mutex_t *fetching; /* what fetches bytes does one thing at a time */
    struct error *e;
};

/* The directory of a place; not the caller's to close.  It stays open while what comes next is in
 * the same one, however that is called meanwhile: commit_forget_parent makes the next step look at
 * the path again. */
int commit_parent(struct commit *m, const struct place *at, struct parent *out, struct error *e);
void commit_forget_parent(struct commit *m);

/* -- commit_windows.c: what is done to many steps at once, their order being of no account */

/* So many steps are done together, by one thread. */
#define WINDOW 32

/* So many new files a thread has open, for the disk to take them together. */
#define OPEN_AT_ONCE 8

/* Does DO_WINDOW for all steps, some at once: it may set `needs_cleanup`, and has its own error and
 * directory.  AQFS_OK, or the first error of those that were begun. */
int commit_windows(struct commit *m, int (*do_window)(struct commit *, size_t from, size_t to));

/* -- commit_check.c: is it still what was planned for? */

int fail_stale(struct commit *m, const struct place *at);
/* Is there still at NAME what was SEEN? */
int check_unchanged(struct commit *m, const struct parent *p, const char *name,
                    const struct place *at, const struct info *seen);
/* -- commit_stage.c: new files and directories */

int stage_directories(struct commit *m, bool *any);
int stage_files(struct commit *m, size_t from, size_t to);
/* The permissions of a new directory in which nothing more is to be made. */
int finish_directory(struct commit *m, struct commit_step *step);

/* -- commit_sync.c: what the disk must have before the commit goes on */

/* Before anything is staged: is it to be put on disk as a whole? */
void sync_begin(struct commit *m);
/* The files that are staged and open, which are few. */
int sync_open(struct commit *m, size_t from, size_t to);
/* All that is staged. */
int sync_staged(struct commit *m);
/* The names: AQFS_DURABILITY_UNKNOWN when that cannot be said. */
int sync_names(struct commit *m);

/* -- commit_swap.c: guarding what is replaced, and the exchange */

int apply_swap(struct commit *m, struct commit_step *step, const struct parent *p);
int check_quiet(struct commit *m, struct commit_step *step);

/* -- commit_apply.c: one step */

int apply_step(struct commit *m, struct commit_step *step);
/* The deletions that must come before everything else. */
int apply_clearing(struct commit *m, struct commit_step *step);

#endif
