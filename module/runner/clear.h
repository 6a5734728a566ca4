/* clear.h -- a directory that a program has filled becomes empty.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CLEAR_H
#define AQFS_CLEAR_H

/* Deletes all that is in the directory that FD is open on, however deep, as far as it can.  Nobody
 * else may be writing there. */
void clear_directory(int fd);

#endif
