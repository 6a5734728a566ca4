/* journal.h -- what a commit is about to do, for recovery after a crash.
 *
 * Each workspace has one file in the state directory.  It is locked while the
 * workspace is open, and written to at each commit.  A journal whose lock is
 * free belongs to a process that has ended: journal_recover (recover.h) puts
 * its tree back.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_JOURNAL_H
#define AQFS_JOURNAL_H

#include "budget.h"
#include "hash.h"
#include "workspace.h"

/* One step of a commit.  Its places are paths below a root, because recovery has nothing else. */
struct journal_step {
    const char *kind; /* "write", "create", "mkdir", "delete", "move" */
    size_t root;      /* index of the root */
    const char *path; /* the target */
    const char *from; /* of a move: its source */
    size_t from_root;
    const char *temp;   /* the temporary name beside the target */
    uint64_t moved;     /* inode of what is moved */
    uint64_t directory; /* inode of the target's directory; 0: any, as when a workspace is opened */
    int64_t written_ns; /* in recovery: when the journal was written last; else 0 */
    int64_t began_ns;   /* and when recovery began */
    struct {            /* what the plan saw at the target */
        uint64_t inode; /* 0 if nothing */
        int64_t size, modified_ns;
    } old;
    struct {            /* the new file of a write or create, once it is whole, or directory */
        uint64_t inode; /* 0 if there is none yet */
        int64_t size, modified_ns;
    } made;
};

/* The format of the records, their member `format`.  Those of 0.1.0 have none, and are of the
 * first. Raise it when an older version would misread a record. */
#define JOURNAL_FORMAT 1

/* No journal is larger, because recovery reads it into memory. */
#define JOURNAL_BYTES_MAX (64 << 20)

enum journal_state {
    JOURNAL_STAGING,  /* temporary files may exist */
    JOURNAL_APPLYING, /* some steps may be done */
    JOURNAL_UNDOING,  /* the change has failed: what is left of it is to be undone */
    JOURNAL_DONE      /* all steps are done: only what they replaced is left to remove */
};

/* The functions below do nothing without a state directory, or if the files of the workspace end
 * with the process. */

/* Opens the journal, unless it is open: before the steps are named and written. */
int journal_begin(struct aqfs_workspace *ws, struct error *e);

/* A name for a temporary file of this workspace: see leftovers.h.  False when the kernel gives no
 * random bytes. */
bool journal_temporary(const struct aqfs_workspace *ws, char out[]);

/* The common part of the temporary names (own_file.h) of the workspace whose journal has this path
 * or name.
 */
const char *journal_owner(const char *path);

/* Does the disk know that the step's directory may have temporary files of this workspace? */
bool journal_knows(const struct aqfs_workspace *ws, const struct journal_step *step);

/* Writes STATE and the steps.  With N = 0 it means the steps of the record before it, which must be
 * on disk.  With DURABLE it waits until the disk has the record.  If only that fails, the error for
 * JOURNAL_DONE is AQFS_DURABILITY_UNKNOWN: the commit counts all the same. */
int journal_write(struct aqfs_workspace *ws, enum journal_state state,
                  const struct journal_step *steps, size_t n, bool durable, struct error *e);

/* After a commit that left nothing to clean up.  The journal keeps its lines, for leftovers.h, and
 * if the process dies, undo_lone finds that a step is done and leaves it alone.  Of a commit that
 * was UNDONE, nothing is to be undone again.  A long journal is emptied. */
void journal_rest(struct aqfs_workspace *ws, bool undone);

/* Removes the journal, when the workspace ends, unless the disk may not have all of what was done
 * in the project: then it is left to the next workspace. */
void journal_close(struct aqfs_workspace *ws);

/* Leaves the journal to journal_recover, after a commit that could not put everything back. */
void journal_leave(struct aqfs_workspace *ws);

/* The beginning of the names of this project's journals, which lie in one directory. */
#define JOURNAL_PREFIX (HASH_HEX + 1)
void journal_prefix(const struct aqfs_workspace *ws, char out[JOURNAL_PREFIX]);

/* Opens the directory of the journals; with MAKE also makes it.  -1, with errno, if that fails. */
int journal_directory(const struct aqfs_workspace *ws, bool make);

/* -- the lock of commits: one commit at a time in a project.
 *
 * A new file may be taken back until the commit has decided that it stays.  No
 * other commit may build on it before that.  A mutex keeps threads apart, and a
 * locked file processes, as far as they share a state directory. */

/* Waits for the lock as long as BUDGET lasts. */
int commit_lock(struct aqfs_workspace *ws, struct budget *budget, struct error *e);
void commit_unlock(struct aqfs_workspace *ws);

/* Closes the lock's file, when the workspace ends. */
void commit_lock_close(struct aqfs_workspace *ws);

#endif
