/* history_ops.h -- the operations on snapshots: each is in a file of its name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_HISTORY_OPS_H
#define AQFS_HISTORY_OPS_H

struct call;
struct plan;

int plan_snapshot_create(struct call *c, struct plan *p);
int prepare_snapshot_create(struct call *c, struct plan *p);
void report_snapshot_create(struct call *c, const struct plan *p);
int plan_snapshot_restore(struct call *c, struct plan *p);
int prepare_snapshot_restore(struct call *c, struct plan *p);
void report_snapshot_restore(struct call *c, const struct plan *p);
int plan_snapshot_prune(struct call *c, struct plan *p);
int prepare_snapshot_prune(struct call *c, struct plan *p);
void report_snapshot_prune(struct call *c, const struct plan *p);

int op_snapshot_list(struct call *c);
int op_snapshot_diff(struct call *c);

#endif
