/* filter.h -- filters for system calls that no rule about files can be made of.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FILTER_H
#define AQFS_FILTER_H

#include <stdbool.h>

/* A descriptor of a file that holds the filter of a sandbox as the kernel takes it, at its
 * beginning; -1 and errno when there is none for this machine. */
int filter_open(void);

/* Puts this process, which can gain no privileges any more, behind the filter of a fence of LEVEL:
 * that of a sandbox, and no sockets. */
bool filter_enter(int level);

#endif
