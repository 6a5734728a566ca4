/* snapshot_scan.h -- the workspace as it is now, as a tree of git's names.
 *
 * What a snapshot holds: files and links below the project's root, with their
 * permissions, and directories, empty ones too.  What it does not, and what a
 * restore therefore leaves alone:
 *
 *     what .gitignore and .git/info/exclude say    unless the keeper is strict
 *     .git, in whatever spelling                   also of nested repositories, whose files are
 * kept FIFOs, sockets, devices; other file systems what cannot be read, or has more bytes than
 * limits.read_bytes restricted paths, and our own temporary and state files
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_SCAN_H
#define AQFS_SNAPSHOT_SCAN_H

#include "snapshot_store.h"
#include "walk.h"

struct scan {
    /* Asked for. */
    struct work *work;
    const struct store *store; /* or NULL: there is none yet */
    struct pack *pack;         /* where what is not kept yet goes; NULL: only names are wanted */
    const struct tree *around; /* the top of a snapshot, or NULL: what it holds is looked at
                                  also where it is ignored, and its .gitignore files count */
    bool strict;               /* nothing is ignored */

    /* Found. */
    struct walk walk;
    struct arena arena;
    struct tree *top;
    struct oid oid;          /* of the top */
    struct scan_file *files; /* every file and link, in order of paths */
    struct scan_file **read; /* those that the cache did not know */
    size_t files_n, read_n;
    int64_t since_ns;               /* when looking began */
    char cache_id[SNAPSHOT_ID];     /* the snapshot that knew the others, or "" */
    struct snapshot_report *report; /* the caller's */
    int unread_code; /* the first error of reading what `around` has, and that error */
    struct error unread;

    struct scan_dir *dirs; /* all of them, for freeing */
    pthread_mutex_t lock;  /* guards the report, the arena, dirs and unread */
};

/* Call scan_free in either case, when it was zeroed and filled in as far as it is asked for. */
int scan_run(struct scan *scan);

/* Adds to PACK what a scan without one has found and STORE does not have.  AQFS_STALE where a file
 * has changed since. */
int scan_keep(struct scan *scan, const struct store *store, struct pack *pack);

/* Remembers for the next scan what this one found, as part of the snapshot ID. */
void scan_remember(const struct scan *scan, const struct store *store, const char *id);

void scan_free(struct scan *scan);

/* -- the parts, for snapshot_scan*.c only -------------------------------------------------------
 */

/* What is known of a directory of the walk: walk_dir.user. */
struct scan_dir {
    struct scan_dir *next;
    struct ignore *rules;
    const struct tree *around; /* what the other snapshot has here, or NULL */
    atomic_bool partial;       /* something in it is left out */
    bool ignored;              /* all of it, but for what is in `around` */
};

/* snapshot_filter.c: what of a directory is looked at at all.  For walk_options.filter. */
bool scan_filter(void *scan, const struct node *node, struct walk_dir *dir);

/* snapshot_hash.c: the names of the bytes of these entries, which ITEMS gets. */
struct scan_file {
    struct walk_ref ref;
    struct item item; /* kind ITEM_NONE: it is left out, or gone */
};
int scan_hash(struct scan *scan, struct scan_file **files, size_t n);

/* For an entry of which nothing can be said. */
int fail_unseen(struct scan *scan, struct walk_ref ref);

/* Tells of an entry that is left out. */
void scan_leave_out(struct scan *scan, struct walk_ref ref, const char *why);

#endif
