/* array.c -- arrays that grow.
 *
 * SPDX-License-Identifier: MIT
 */
#include "array.h"

#include <stdlib.h>

enum { ROOM_AT_FIRST = 16 };

void *array_with_room(void *array, size_t n, size_t *room, size_t size) {
    if (n < *room)
        return array;
    size_t more = *room ? *room * 2 : ROOM_AT_FIRST;
    void *grown = realloc(array, more * size);
    if (grown)
        *room = more;
    return grown;
}
