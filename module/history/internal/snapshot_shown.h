/* snapshot_shown.h -- what the operations on snapshots share.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SNAPSHOT_SHOWN_H
#define AQFS_SNAPSHOT_SHOWN_H

#include "call.h"
#include "plan.h"
#include "snapshot.h"

/* The keeper of this workspace's snapshots. */
const struct keeper *snapshot_keeper(const struct call *c);

/* The place of ITEM: snapshots hold items of the project's root only. */
void snapshot_place(const struct call *c, const struct item_change *item, struct place *out);

/* Writes the members that describe S. */
void snapshot_reply(struct call *c, const struct snapshot *s);

/* Takes a snapshot, as `take` of struct keeper does.  Then forgets the old snapshots that the
 * limits no longer allow, except SPARED, which may be NULL; that they cannot be forgotten is not an
 * error. */
int snapshot_take(struct call *c, struct text_ref tag, struct item_changes *compared,
                  const char *spared, struct snapshot *out, struct snapshot_report *report);

/* Takes out of CHANGES what the rules of this workspace hide. */
void snapshot_hide(const struct call *c, struct item_changes *changes);

/* The item that a change of a plan is for: `fetched_for` of struct change. */
struct shown_item {
    const struct item_changes *changes;
    const struct item *old, *new;
};

/* `fetch` of such a change: reads the bytes of one side from its snapshot, or from the workspace if
 * the item is the state of the files now. */
int snapshot_fetch(struct work *work, const struct change *change, enum side side, struct buf *out);

/* Sets OUT's modes to git's modes of both sides.  If those are equal, to all permission bits, which
 * may differ alone. */
void snapshot_modes(const struct item *old, const struct item *new, struct change *out);

/* "added", "deleted" or "modified". */
const char *snapshot_action(const struct item *old, const struct item *new);
/* "none", "file", "symlink" or "directory". */
const char *snapshot_type(const struct item *item);

/* Copies TEXT, from the argument NAME, to OUT.  AQFS_INVALID_ARGUMENT unless it is an id. */
int snapshot_id(struct call *c, const char *name, struct text_ref text, char out[SNAPSHOT_ID]);

/* Appends a line about S for a model.  It leaves out where the snapshot is kept: a model has no use
 * for a place that it cannot reach. */
void add_snapshot_line(struct buf *out, const struct snapshot *s);

/* The time DAYS days before now, in milliseconds as in struct snapshot. */
int64_t days_ago_ms(int64_t days);

#endif
