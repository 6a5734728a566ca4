/* intern.c -- strings as numbers: see intern.h.
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
    size_t slots = 16;
    *t = (struct intern){0};
    if (most >= INTERN_NONE)
        return false;
    while (slots / 2 < most)
        slots *= 2;
    t->mask = slots - 1;
    t->strings = malloc((most ? most : 1) * sizeof *t->strings);
    t->slots = malloc(slots * sizeof *t->slots);
    if (!t->strings || !t->slots) {
        intern_close(t);
        return false;
    }
    memset(t->slots, 0xFF, slots * sizeof *t->slots); /* INTERN_NONE everywhere */
    /* Addresses are random enough: only the speed depends on it. */
    t->seed =
        ((uint64_t)(uintptr_t)t->slots ^ (uint64_t)(uintptr_t)t) * UINT64_C(0x9E3779B97F4A7C15);
    return true;
}

void intern_close(struct intern *t) {
    free(t->strings);
    free(t->slots);
    *t = (struct intern){0};
}

uint64_t intern_hash(const struct intern *t, const char *bytes, size_t n) {
    uint64_t hash = t->seed;
    for (size_t i = 0; i < n; i++)
        hash = intern_hash_byte(hash, bytes[i]);
    return hash;
}

/* The slot that holds the string, or the free one where it belongs. */
static size_t slot_of_string(const struct intern *t, uint64_t hash, const char *bytes, size_t n) {
    size_t slot = (size_t)(hash ^ hash >> 32) & t->mask;
    for (;; slot = (slot + 1) & t->mask) {
        if (t->slots[slot] == INTERN_NONE)
            return slot;
        const struct interned *s = &t->strings[t->slots[slot]];
        if (s->hash == hash && s->n == n && memcmp(s->bytes, bytes, n) == 0)
            return slot;
    }
}

uint32_t intern_add(struct intern *t, const char *bytes, size_t n) {
    uint64_t hash = intern_hash(t, bytes, n);
    size_t slot = slot_of_string(t, hash, bytes, n);
    if (t->slots[slot] == INTERN_NONE) {
        t->strings[t->count] = (struct interned){hash, bytes, n};
        t->slots[slot] = t->count++;
    }
    return t->slots[slot];
}

uint32_t intern_find_hashed(const struct intern *t, uint64_t hash, const char *bytes, size_t n) {
    return t->slots[slot_of_string(t, hash, bytes, n)];
}

uint32_t intern_find(const struct intern *t, const char *bytes, size_t n) {
    return intern_find_hashed(t, intern_hash(t, bytes, n), bytes, n);
}
