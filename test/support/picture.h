/* picture.h -- everything below a path, as a text that can be compared.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TEST_PICTURE_H
#define TEST_PICTURE_H

#include <stdbool.h>

/* Shows names, types, permissions, owners, extended attributes and bytes.  TIMES adds inodes and
 * modification times.  Without TEMPORARIES it leaves out what is below a temporary name
 * (`.aqfs-...`).  The caller frees it. */
char *picture_of(const char *path, bool times, bool temporaries);

#endif
