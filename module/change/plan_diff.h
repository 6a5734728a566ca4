/* plan_diff.h -- a planned change as git would write it in a patch.
 *
 *     diff --git a/new.txt b/new.txt
 *     new file mode 100644
 *     --- /dev/null
 *     +++ b/new.txt
 *     @@ -0,0 +1 @@
 *     +text
 *
 * What is shown can be given to apply_patch, and does the same again.  What a
 * patch cannot say stands there as a line that no reader of patches takes for
 * one: bytes that are no text, what has been cut, links, and whole directories.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PLAN_DIFF_H
#define AQFS_PLAN_DIFF_H

#include "plan.h"

/* Appends CHANGE to the plan's diff, and counts its lines. */
int plan_diff(struct work *work, struct plan *p, struct change *change);

#endif
