/* hash_table.h -- a hash table of numbers, whose elements are in an array of the caller's.
 *
 * Open addressing with linear probing; elements are never removed.  A table of
 * known size is at most half full.  One that grows is at most a quarter full:
 * it is worth more memory to search it faster.  The caller passes the functions
 * that compare and hash elements.  A search is inlined into its caller, so the
 * compiler inlines these functions, too, and a typed wrapper costs nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_HASH_TABLE_H
#define AQFS_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_TABLE_NONE UINT32_MAX

/* A zeroed table is empty and has no room. */
struct hash_table {
    uint32_t *slots; /* the number of an element + 1; 0: free */
    size_t room;     /* a power of two */
};

/* Is element NUMBER the WANTED one? */
typedef bool hash_table_same(const void *elements, uint32_t number, const void *wanted);
typedef uint64_t hash_table_hash(const void *elements, uint32_t number);

/* Makes room for N elements in a zeroed table.  False without memory. */
bool hash_table_open(struct hash_table *t, size_t n);
void hash_table_close(struct hash_table *t); /* zeroes it */

/* Makes room for one more element; there are N, numbered 0 to N - 1.  Without memory it returns
 * false and changes nothing. */
bool hash_table_grow(struct hash_table *t, size_t n, hash_table_hash *hash, const void *elements);

/* The slot of the WANTED element, or the free slot where its number + 1 belongs.  HASH is the
 * element's hash, whose lowest bits must be as good as random.  The table must have room. */
static inline __attribute__((always_inline)) uint32_t *
hash_table_slot(const struct hash_table *t, uint64_t hash, hash_table_same *same,
                const void *elements, const void *wanted) {
    const size_t mask = t->room - 1;
    size_t at = (size_t)hash & mask;
    while (t->slots[at] && !same(elements, t->slots[at] - 1, wanted))
        at = (at + 1) & mask;
    return &t->slots[at];
}

/* The number of the WANTED element, or HASH_TABLE_NONE. */
static inline __attribute__((always_inline)) uint32_t
hash_table_find(const struct hash_table *t, uint64_t hash, hash_table_same *same,
                const void *elements, const void *wanted) {
    return t->room ? *hash_table_slot(t, hash, same, elements, wanted) - 1 : HASH_TABLE_NONE;
}

#endif
