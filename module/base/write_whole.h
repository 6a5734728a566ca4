/* write_whole.h -- writing all bytes, in as many calls as the kernel needs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WRITE_WHOLE_H
#define AQFS_WRITE_WHOLE_H

#include <stddef.h>
#include <stdint.h>

#define WRITE_ON (-1) /* as OFFSET: write at the file's own position */

/* Returns 0 or an errno value; after an error, a part may have been written. */
int write_whole(int fd, const char *bytes, size_t n, int64_t offset);

#endif
