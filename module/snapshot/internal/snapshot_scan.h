/* snapshot_scan.h -- the workspace as it is now, as a tree of git's names.
 *
 * A snapshot holds the files, links and directories below the project's root, with
 * their permissions.  It leaves out, and so a restore leaves alone:
 *
 *   - files that .gitignore and .git/info/exclude name, unless the keeper is strict;
 *   - locks, auto-saves and backups of editors (.#x, #x#, x~), unless the keeper is strict;
 *   - .git in any spelling, also of nested repositories, whose files it holds;
 *   - FIFOs, sockets, devices, and other file systems;
 *   - files that cannot be read, or are larger than limits.read_bytes;
 *   - restricted paths, and our own temporary and state files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_SCAN_H
#define AQFS_SNAPSHOT_SCAN_H

#include "snapshot_store.h"
#include "walk.h"

struct scan {
    /* Filled in by the caller. */
    struct work *work;
    const struct store *store; /* NULL if there is none yet */
    struct pack *pack;         /* gets the objects that are not kept yet; NULL: none is kept */
    const struct tree
        *around; /* the top of another snapshot, or NULL.  Files that it holds are
                    scanned even if they are ignored, and its .gitignore files count */
    bool strict; /* nothing is ignored */

    /* Filled in by the scan. */
    struct walk walk;
    struct arena arena;
    struct tree *top;
    struct oid oid;          /* of the top */
    struct scan_file *files; /* every file and link, in order of paths */
    struct scan_file **read; /* the files that were read because the cache did not know them */
    size_t files_n, read_n;
    int64_t since_ns;               /* when the scan began */
    char cache_id[SNAPSHOT_ID];     /* the snapshot whose cache knew the others, or "" */
    struct snapshot_report *report; /* the caller's */
    int unread_code; /* the first error of reading what `around` has, and that error */
    struct error unread;

    atomic_bool met_links; /* there are symbolic links, which may be ignored */
    struct scan_dir *dirs; /* all of them, for freeing */
    pthread_mutex_t lock;  /* guards the report, the arena, dirs and unread */
};

/* Scans the workspace.  Call scan_free in either case. */
int scan_run(struct scan *scan);

/* Adds the objects that a scan without a pack has found, and STORE does not have, to PACK.
 * AQFS_STALE if a file has changed since. */
int scan_keep(struct scan *scan, const struct store *store, struct pack *pack);

/* Finds which of the scanned files are secret by another name alone: snapshot.secrets, for *OUT. */
int scan_secrets(struct scan *scan, json_t **out);

/* Says SECRETS that the file PATH was one? */
bool was_secret(const json_t *secrets, const char *path, size_t n);

/* Writes the cache, for the next scan.  ID is the snapshot that holds what this scan found. */
void scan_remember(const struct scan *scan, const struct store *store, const char *id);

void scan_free(struct scan *scan);

/* -- the parts of a scan ------------------------------------------------------------------------
 */

/* Facts about a directory of the walk: walk_dir.user. */
struct scan_dir {
    struct scan_dir *next;
    struct ignore *rules;
    const struct tree *around; /* the same directory in the other snapshot, or NULL */
    atomic_bool partial;       /* something in it is left out */
    bool ignored;              /* all of it is, except what `around` has */
};

/* Removes the entries of a directory that are not scanned.  For walk_options.filter
 * (snapshot_filter.c). */
bool scan_filter(void *scan, const struct node *node, struct walk_dir *dir);

struct scan_file {
    struct walk_ref ref;
    struct item item; /* of kind ITEM_NONE if it is left out, or gone */
};

/* Reads FILES and finds the names of their bytes (snapshot_hash.c). */
int scan_hash(struct scan *scan, struct scan_file **files, size_t n);

/* Fails, because the entry cannot be looked at. */
int fail_unseen(struct scan *scan, struct walk_ref ref);

/* Adds an entry that is left out to the report. */
void scan_leave_out(struct scan *scan, struct walk_ref ref, const char *why);

#endif
