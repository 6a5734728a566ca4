/* snapshot_record.h -- the records of snapshots: a ref and a commit each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_RECORD_H
#define AQFS_SNAPSHOT_RECORD_H

#include "snapshot_store.h"

/* Makes the bytes of RECORD's commit, which has TREE. */
int record_commit(const struct snapshot *record, const struct oid *tree, struct buf *out,
                  struct error *e);

/* Makes the ref of a snapshot whose objects are on disk: from now on it exists.  The ref is on disk
 * when this returns. */
int record_keep(const struct store *s, const struct snapshot *record, struct error *e);

/* Reads a record, and unless TREE is NULL, the name of its tree.  AQFS_SNAPSHOT if there is no
 * snapshot of this id, or it cannot be read. */
int record_find(const struct store *s, const char *id, struct snapshot *out, struct oid *tree,
                struct error *e);

/* Is the snapshot ID still there?  AQFS_SNAPSHOT if not.  To be asked by a reader after it has
 * read: if the snapshot was forgotten meanwhile, some of its objects may not have been found. */
int record_check(const struct store *s, const char *id, struct error *e);

/* Lists the records that can be read, the oldest first, and counts the others. */
int record_list(const struct store *s, struct snapshot_list *out, struct error *e);

/* Does the record belong to this workspace?  In the store that sessions share, each sees only its
 * own. */
bool record_is_own(const struct work *work, const struct snapshot *record);

/* Removes the ref.  The objects stay until they are swept. */
void record_forget(const struct store *s, const char *id);

#endif
