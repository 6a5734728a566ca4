/* waking.c -- one thread wakes another: see waking.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "waking.h"

#include <stdint.h>
#include <unistd.h>

void wake_poller(int fd) {
    const uint64_t one = 1;
    ssize_t n = write(fd, &one, sizeof one);
    (void)n; /* it is full: then the thread wakes anyway */
}
