/* arena.c -- many small allocations that are freed together.
 *
 * SPDX-License-Identifier: MIT
 */
#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 * 1024)

struct arena_block {
    struct arena_block *older;
    alignas(max_align_t) char bytes[];
};

static char *take_from_block(struct arena *a, size_t size) {
    if (!a->next || size > a->left) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        if (room > SIZE_MAX - sizeof(struct arena_block))
            return NULL;
        struct arena_block *block = malloc(sizeof *block + room);
        if (!block)
            return NULL;
        block->older = a->blocks;
        a->blocks = block;
        a->next = block->bytes;
        a->left = room;
    }
    char *taken = a->next;
    a->next += size;
    a->left -= size;
    return taken;
}

void *arena_take(struct arena *a, size_t size) {
    size_t step = alignof(max_align_t);
    if (size > SIZE_MAX - step)
        return NULL;
    size_t skew = (size_t)((uintptr_t)a->next % step);
    size_t pad = skew ? step - skew : 0;
    if (a->left < pad) {
        a->left = 0; /* the next block begins aligned */
    } else if (pad > 0) {
        a->next += pad;
        a->left -= pad;
    }
    return take_from_block(a, (size + step - 1) / step * step);
}

/* Needs no alignment, so strings lie side by side without padding. */
char *arena_string(struct arena *a, const char *bytes, size_t n) {
    char *copy = n < SIZE_MAX ? take_from_block(a, n + 1) : NULL;
    if (copy) {
        memcpy(copy, bytes, n);
        copy[n] = '\0';
    }
    return copy;
}

void arena_free(struct arena *a) {
    while (a->blocks) {
        struct arena_block *older = a->blocks->older;
        free(a->blocks);
        a->blocks = older;
    }
    *a = (struct arena){0};
}
