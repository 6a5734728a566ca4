/* build.h -- making the tree that a disk holds.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef POWERCUT_BUILD_H
#define POWERCUT_BUILD_H

#include "disk.h"

/* Makes `root` and `state` of the current directory what D holds.  The core is shown the inodes of
 * D (recorder.h). */
void build(const struct disk *d);

#endif
