/* diff_single.h -- texts that differ in one place, as they do after most edits.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DIFF_SINGLE_H
#define AQFS_DIFF_SINGLE_H

#include "diff_changes.h"

/* Did OLD become NEW by one change that could stand nowhere else?  Then OUT is that change, which
 * is what any differ would find.  False when only a differ can tell. */
bool diff_single(struct text_ref old, struct text_ref new, struct line_change *out);

#endif
