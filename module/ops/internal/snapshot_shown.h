/* snapshot_shown.h -- what the operations on snapshots share; for snapshot_*.c only.
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

/* The members that say which one it is. */
void snapshot_reply(struct call *c, const struct snapshot *s);

/* Takes one and then forgets what limits no longer allow, but not SPARED (or NULL). */
int snapshot_take(struct call *c, struct text_ref tag, struct item_changes *compared,
                  const char *spared, struct snapshot *out, struct snapshot_report *report);

/* What of CHANGES this workspace may know of: the others are taken out. */
void snapshot_hide(const struct call *c, struct item_changes *changes);

/* A change of a plan, with the bytes of both sides fetched from the snapshots, or from the
 * workspace where an item is what is there now. */
struct shown_item {
    const struct item_changes *changes;
    const struct item *old, *new;
};
int snapshot_fetch(struct work *work, const struct change *change, enum side side, struct buf *out);

/* Git's modes of both sides, with all bits where those alone differ. */
void snapshot_modes(const struct item *old, const struct item *new, struct change *out);

/* "added", "deleted", "modified". */
const char *snapshot_action(const struct item *old, const struct item *new);
const char *snapshot_type(const struct item *item);

/* The argument NAME as an id: AQFS_INVALID_ARGUMENT. */
int snapshot_id(struct call *c, const char *name, struct text_ref text, char out[SNAPSHOT_ID]);

/* A line about S in words for a model, who is not shown where it is kept. */
void add_snapshot_line(struct buf *out, const struct snapshot *s);

/* So many days before now, in milliseconds of the clock of snapshots. */
int64_t days_ago_ms(int64_t days);

#endif
