/* journal.h -- what a commit is about to do, for whoever comes after a crash.
 *
 * One file a workspace in the state directory, locked while the workspace is
 * open and rewritten at each commit.  A journal whose lock is free belongs to a
 * process that has ended: journal_recover puts its tree back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_JOURNAL_H
#define AQFS_JOURNAL_H

#include "hash.h"
#include "workspace.h"

/* One step, as a name in a directory below a root. */
struct journal_step {
    const char *kind; /* "write", "create", "mkdir", "delete", "move" */
    size_t root;      /* index of the root */
    const char *path; /* the target */
    const char *from; /* of a move */
    size_t from_root;
    const char *temp;   /* the temporary name beside the target */
    uint64_t moved;     /* inode of what is moved */
    int64_t written_ns; /* when a journal that is read was written last */
    struct {            /* what was seen at the target */
        uint64_t inode; /* or 0 */
        int64_t size, modified_ns;
    } old;
    struct {            /* the new file, once it is finished: of a write or create; a directory */
        uint64_t inode; /* or 0 */
        int64_t size, modified_ns;
    } made;
};

/* No journal is larger: who recovers it reads it whole. */
#define JOURNAL_BYTES_MAX (64 << 20)

enum journal_state {
    JOURNAL_STAGING,  /* temporary files may exist */
    JOURNAL_APPLYING, /* some steps may be done */
    JOURNAL_DONE      /* all are: only what they replaced is left to remove */
};

/* Without a state directory these do nothing.  Without steps, those of the state before it are
 * meant, which is on disk.  DURABLE also puts this one there.  For JOURNAL_DONE
 * AQFS_DURABILITY_UNKNOWN says that only this failed: the commit counts. */
int journal_write(struct aqfs_workspace *ws, enum journal_state state,
                  const struct journal_step *steps, size_t n, bool durable, struct error *e);
void journal_clear(struct aqfs_workspace *ws);
/* As it may be after the only step of a commit, which undo_lone leaves alone once it is ended. */
void journal_keep(struct aqfs_workspace *ws);
void journal_close(struct aqfs_workspace *ws);

/* Instead of clearing it, where something could not be put back: it is left to journal_recover. */
void journal_leave(struct aqfs_workspace *ws);

/* Journals of the same project are files of one directory, with names that begin alike. */
#define JOURNAL_PREFIX (HASH_HEX + 1)
void journal_prefix(const struct aqfs_workspace *ws, char out[JOURNAL_PREFIX]);
int journal_directory(const struct aqfs_workspace *ws, bool make); /* open, or -1 */

/* Undoes or finishes what dead processes left for this workspace's roots.  Call when opening. */
void journal_recover(struct aqfs_workspace *ws);
/* The same for what this workspace left, if it did.  Call before planning. */
void journal_settle(struct aqfs_workspace *ws);

#endif
