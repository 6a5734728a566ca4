/* clear.h -- a directory that a program has filled becomes empty.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CLEAR_H
#define AQFS_CLEAR_H

#include <stdint.h>

/* Deletes all that is in the directory that FD is open on, however deep, as far as it can until
 * END_NS, by clock_now_ns: a program that goes on writing there would make it last for ever. */
void clear_directory(int fd, int64_t end_ns);

#endif
