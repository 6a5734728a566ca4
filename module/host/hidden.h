/* hidden.h -- restricted places by their identity: what is restricted under another name.
 *
 * Rules are of names.  A hard link, a directory that is mounted twice, and a file
 * system that folds letter case give a restricted place further names.  So where
 * anything is restricted, all that is located or opened is compared with
 * the device and inode of what the rules' names lead to at that time.
 *
 * A file of several names may also be one of those below a restricted directory.
 * Only when such a file is met, the files below are looked at, and what was
 * found is used for a second at most.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_HIDDEN_H
#define AQFS_HIDDEN_H

#include "workspace.h"

/* hidden_open, of host.h, makes ws->hidden where something is restricted. */
void hidden_free(struct hidden *h); /* NULL is allowed */

/* Looks where the rules' names lead now.  H may be NULL. */
void hidden_refresh(struct hidden *h);

/* Refuses what INFO describes if it is a restricted place, or a file of several names that may be
 * below one: AQFS_RESTRICTED, set by fail_path.  H may be NULL. */
int hidden_refuse(struct hidden *h, const struct info *info, struct error *e);

/* The same of the open DESCRIPTOR, which is looked at only where something is restricted. */
int hidden_refuse_open(struct hidden *h, int descriptor, struct error *e);

#endif
