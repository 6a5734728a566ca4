/* diff_single.h -- texts that differ in one place, as most edits leave them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DIFF_SINGLE_H
#define AQFS_DIFF_SINGLE_H

#include "diff_changes.h"

/* Whether OLD became NEW by one change that could not stand anywhere else, which is then OUT: what
 * any differ says of them.  False where it takes one to tell. */
bool diff_single(struct text_ref old, struct text_ref new, struct line_change *out);

#endif
