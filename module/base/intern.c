/* intern.c -- numbers for strings: see intern.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "intern.h"

#include <stdlib.h>
#include <string.h>

struct interned {
    uint64_t hash;
    const char *bytes;
    size_t n;
};

bool intern_open(struct intern *t, size_t most) {
    *t = (struct intern){0};
    if (most >= INTERN_NONE || !hash_table_open(&t->table, most))
        return false;
    t->strings = malloc((most ? most : 1) * sizeof *t->strings);
    if (!t->strings) {
        intern_close(t);
        return false;
    }
    /* Addresses are random enough, because only speed depends on the seed. */
    t->seed = ((uint64_t)(uintptr_t)t->table.slots ^ (uint64_t)(uintptr_t)t) *
              UINT64_C(0x9E3779B97F4A7C15);
    return true;
}

void intern_close(struct intern *t) {
    free(t->strings);
    hash_table_close(&t->table);
    *t = (struct intern){0};
}

uint64_t intern_hash(const struct intern *t, const char *bytes, size_t n) {
    uint64_t hash = t->seed;
    for (size_t i = 0; i < n; i++)
        hash = intern_hash_byte(hash, bytes[i]);
    return hash;
}

static bool is_same_string(const void *strings, uint32_t number, const void *wanted) {
    const struct interned *a = (const struct interned *)strings + number, *b = wanted;
    return a->hash == b->hash && a->n == b->n && memcmp(a->bytes, b->bytes, b->n) == 0;
}

/* The table takes a slot by the lowest bits, which are weak in FNV-1a; mixes in the highest. */
static uint64_t fold_hash(uint64_t hash) {
    return hash ^ hash >> 32;
}

uint32_t intern_add(struct intern *t, const char *bytes, size_t n) {
    const struct interned wanted = {intern_hash(t, bytes, n), bytes, n};
    uint32_t *slot =
        hash_table_slot(&t->table, fold_hash(wanted.hash), is_same_string, t->strings, &wanted);
    if (!*slot) {
        t->strings[t->count++] = wanted;
        *slot = t->count;
    }
    return *slot - 1;
}

uint32_t intern_find_hashed(const struct intern *t, uint64_t hash, const char *bytes, size_t n) {
    const struct interned wanted = {hash, bytes, n};
    return hash_table_find(&t->table, fold_hash(hash), is_same_string, t->strings, &wanted);
}

uint32_t intern_find(const struct intern *t, const char *bytes, size_t n) {
    return intern_find_hashed(t, intern_hash(t, bytes, n), bytes, n);
}
