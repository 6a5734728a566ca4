/* SPDX-License-Identifier: MIT */
/* picture.h -- all that is below a path, as a text that can be compared. */
#ifndef TEST_PICTURE_H
#define TEST_PICTURE_H

#include <stdbool.h>

/* Names, types, permissions, owners, extended attributes and bytes; with TIMES also inodes and
 * times of modification; without TEMPORARIES not what is below a temporary name (`.aqfs-...`).
 * To be freed. */
char *picture_of(const char *path, bool times, bool temporaries);

#endif
