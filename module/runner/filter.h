/* filter.h -- a filter for system calls: no program types for another.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FILTER_H
#define AQFS_FILTER_H

/* A descriptor of a file that holds the filter as the kernel takes it, at its beginning; -1 and
 * errno when there is none for this machine. */
int filter_open(void);

#endif
