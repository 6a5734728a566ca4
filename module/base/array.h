/* array.h -- arrays that grow.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_ARRAY_H
#define AQFS_ARRAY_H

#include <stddef.h>

/* Returns ARRAY with room for more than N elements of SIZE bytes: itself, or where it was moved to,
 * with *ROOM as the number of elements that it has room for now.  Returns NULL without memory, and
 * ARRAY is as it was then. */
void *array_with_room(void *array, size_t n, size_t *room, size_t size);

#endif
