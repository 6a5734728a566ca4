/* hash_table.c -- a hash table of numbers: see hash_table.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hash_table.h"

#include <stdlib.h>

#define ROOM_LEAST 16

bool hash_table_open(struct hash_table *t, size_t n) {
    struct hash_table opened = {.room = ROOM_LEAST};
    if (n >= HASH_TABLE_NONE)
        return false;
    while (opened.room / 2 < n)
        opened.room *= 2;
    opened.slots = calloc(opened.room, sizeof *opened.slots);
    if (opened.slots)
        *t = opened;
    return opened.slots != NULL;
}

void hash_table_close(struct hash_table *t) {
    free(t->slots);
    *t = (struct hash_table){0};
}

/* The slot for an element that is known not to be in the table. */
static uint32_t *free_slot(const struct hash_table *t, uint64_t hash) {
    size_t at = (size_t)hash & (t->room - 1);
    while (t->slots[at])
        at = (at + 1) & (t->room - 1);
    return &t->slots[at];
}

bool hash_table_grow(struct hash_table *t, size_t n, hash_table_hash *hash, const void *elements) {
    struct hash_table grown;
    if (n < t->room / 4)
        return true;
    if (!hash_table_open(&grown, 4 * n))
        return false;
    for (uint32_t i = 0; i < n; i++)
        *free_slot(&grown, hash(elements, i)) = i + 1;
    hash_table_close(t);
    *t = grown;
    return true;
}
