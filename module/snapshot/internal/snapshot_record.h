/* snapshot_record.h -- which snapshots there are: a ref and a commit each.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_RECORD_H
#define AQFS_SNAPSHOT_RECORD_H

#include "snapshot_store.h"

/* The bytes of the commit of TREE that says what RECORD is. */
int record_commit(const struct snapshot *record, const struct oid *tree, struct buf *out,
                  struct error *e);

/* From now on there is this snapshot; on disk when this returns. */
int record_keep(const struct store *s, const struct snapshot *record, struct error *e);

/* TREE may be NULL.  AQFS_SNAPSHOT where there is none of this id, or it cannot be read. */
int record_find(const struct store *s, const char *id, struct snapshot *out, struct oid *tree,
                struct error *e);

/* Is the snapshot ID still there?  AQFS_SNAPSHOT if not.  To be asked by a reader after it has
 * read: if the snapshot was forgotten meanwhile, some of its objects may not have been found. */
int record_check(const struct store *s, const char *id, struct error *e);

/* All that can be read, the oldest first. */
int record_list(const struct store *s, struct snapshot_list *out, struct error *e);

/* Of the store that sessions share, each sees its own. */
bool record_is_own(const struct work *work, const struct snapshot *record);

void record_forget(const struct store *s, const char *id);

#endif
