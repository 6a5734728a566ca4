/* plan_diff.h -- a planned change as git would write it in a patch.
 *
 *     diff --git a/new.txt b/new.txt
 *     new file mode 100644
 *     --- /dev/null
 *     +++ b/new.txt
 *     @@ -0,0 +1 @@
 *     +text
 *
 * The diff can be given to apply_patch, and does the same again.  A patch cannot
 * express bytes that are not text, links, whole directories, or lines that were
 * cut.  Each of these becomes a line that no reader of patches takes for a part
 * of a patch.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PLAN_DIFF_H
#define AQFS_PLAN_DIFF_H

#include "plan.h"

/* Appends CHANGE to the plan's diff, and sets its numbers of lines added and removed. */
int plan_diff(struct work *work, struct plan *p, struct change *change);

#endif
