/* leavings.h -- what a runner makes on the disk for its command, and removes when that is over.
 *
 * A scratch directory is the home and the temporary directory of a command behind a fence.  A mask
 * is an empty directory in the place of a name that does not exist and must not be made by a
 * command in a sandbox, which has something else mounted there: the kernel mounts on what exists.
 *
 * The leader makes them, and the guard knows of them by memory that both share, so either removes
 * them.  Where both are killed, the next runner finds them: nobody holds their locks.  Of a mask
 * nothing but an empty directory is ever removed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LEAVINGS_H
#define AQFS_LEAVINGS_H

#include <stdbool.h>

/* The permissions of masks, by which they are known. */
#define MASK_MODE 01700

/* Shares the memory; false when there is none. */
bool leavings_share(void);

/* Makes a scratch directory and returns its name, in memory that stays; NULL and errno if it
 * cannot.  Those of runners that were killed are removed. */
const char *leavings_scratch(void);

/* Puts a mask at PATH, unless something else is there; false and errno if it cannot. */
bool leavings_mask(const char *path);

/* Removes the masks, but those that other runners have, too. */
void leavings_unmask(void);

/* Removes all. */
void leavings_remove(void);

#endif
