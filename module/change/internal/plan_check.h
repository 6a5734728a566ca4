/* plan_check.h -- comparing what is there with what was planned for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PLAN_CHECK_H
#define AQFS_PLAN_CHECK_H

#include "plan.h"

/* Was it read so soon after it was written that its times may not tell? */
bool is_racy(const struct change *change);

/* Does the open file hold these bytes and no more? */
bool is_filled_with(const struct node *file, const struct buf *bytes);

#endif
