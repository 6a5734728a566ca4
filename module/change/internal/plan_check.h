/* plan_check.h -- comparing what is there with what was planned for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PLAN_CHECK_H
#define AQFS_PLAN_CHECK_H

#include "node.h"
#include "plan.h"

/* Does the open file hold these bytes and no more? */
bool is_filled_with(const struct node *file, const struct buf *bytes);

/* Is what is called NAME in the directory P, the place AT, still what was SEEN there?  AQFS_STALE
 * if not. */
int check_unchanged(const struct aqfs_workspace *ws, const struct parent *p, const char *name,
                    const struct place *at, const struct info *seen, struct error *e);

/* Fails with AQFS_STALE, and names the place AT. */
int fail_stale(const struct aqfs_workspace *ws, const struct place *at, struct error *e);

#endif
