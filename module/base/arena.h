/* arena.h -- many small allocations that are freed together.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_ARENA_H
#define AQFS_ARENA_H

#include <stddef.h>

struct arena {
    struct arena_block *blocks;
    size_t left;
    char *next;
};

/* SIZE bytes aligned for any object; NULL when there is no memory. */
void *arena_take(struct arena *a, size_t size);
/* A copy of N bytes and a NUL after them, not aligned; NULL when there is no memory. */
char *arena_string(struct arena *a, const char *bytes, size_t n);
void arena_free(struct arena *a);

#endif
