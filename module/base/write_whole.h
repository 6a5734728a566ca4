/* write_whole.h -- writing all of some bytes, however many calls that takes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WRITE_WHOLE_H
#define AQFS_WRITE_WHOLE_H

#include <stddef.h>
#include <stdint.h>

#define WRITE_ON (-1) /* for OFFSET: where the file's own position is */

/* 0 or an errno value; part of it may be written then. */
int write_whole(int fd, const char *bytes, size_t n, int64_t offset);

#endif
