/* write_whole.c -- writing all bytes, in as many calls as the kernel needs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "write_whole.h"

#include <errno.h>
#include <unistd.h>

int write_whole(int fd, const char *bytes, size_t n, int64_t offset) {
    while (n > 0) {
        ssize_t wrote = offset < 0 ? write(fd, bytes, n) : pwrite(fd, bytes, n, offset);
        if (wrote < 0 && errno != EINTR)
            return errno;
        if (wrote == 0)
            return EIO;
        if (wrote > 0) {
            bytes += wrote;
            n -= (size_t)wrote;
            offset += offset < 0 ? 0 : wrote;
        }
    }
    return 0;
}
