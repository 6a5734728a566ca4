/* review_ops.h -- the operations on what calls have changed: each is in a file of its name.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REVIEW_OPS_H
#define AQFS_REVIEW_OPS_H

struct call;
struct plan;

int op_changes_list(struct call *c);
int op_changes_diff(struct call *c);
int plan_changes_undo(struct call *c, struct plan *p);
void report_changes_undo(struct call *c, const struct plan *p);
int plan_changes_accept(struct call *c, struct plan *p);
int prepare_changes_accept(struct call *c, struct plan *p);
void report_changes_accept(struct call *c, const struct plan *p);
int plan_changes_forget(struct call *c, struct plan *p);
int prepare_changes_forget(struct call *c, struct plan *p);
void report_changes_forget(struct call *c, const struct plan *p);

#endif
