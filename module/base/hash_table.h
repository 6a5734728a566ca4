/* hash_table.h -- a hash table of numbers: the elements are in an array of the caller's.
 *
 * Open addressing with linear probing; nothing is ever taken out.  A table is at
 * most half full, and one that grows a quarter, because its size is not known
 * beforehand to be worth saving.  The caller passes the functions that compare
 * and hash elements; a search is inlined into its caller, so the compiler inlines
 * them as well, and a typed wrapper costs nothing.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_HASH_TABLE_H
#define AQFS_HASH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_TABLE_NONE UINT32_MAX

/* A zeroed one is empty and without room. */
struct hash_table {
    uint32_t *slots; /* the number of an element + 1; 0: free */
    size_t room;     /* a power of two */
};

/* Is the element NUMBER the one that is WANTED? */
typedef bool hash_table_same(const void *elements, uint32_t number, const void *wanted);
typedef uint64_t hash_table_hash(const void *elements, uint32_t number);

/* Makes room for N elements in a zeroed table.  False without memory. */
bool hash_table_open(struct hash_table *t, size_t n);
void hash_table_close(struct hash_table *t); /* zeroes it */

/* Makes room for one more than the N elements there are, which are 0 to N - 1.  False, and nothing
 * has changed, without memory. */
bool hash_table_grow(struct hash_table *t, size_t n, hash_table_hash *hash, const void *elements);

/* The slot of the element that is WANTED, or the free one where its number + 1 belongs.  HASH is
 * the element's, its lowest bits as good as random.  There has to be room. */
static inline __attribute__((always_inline)) uint32_t *
hash_table_slot(const struct hash_table *t, uint64_t hash, hash_table_same *same,
                const void *elements, const void *wanted) {
    const size_t mask = t->room - 1;
    size_t at = (size_t)hash & mask;
    while (t->slots[at] && !same(elements, t->slots[at] - 1, wanted))
        at = (at + 1) & mask;
    return &t->slots[at];
}

/* The number of the element that is WANTED, or HASH_TABLE_NONE. */
static inline __attribute__((always_inline)) uint32_t
hash_table_find(const struct hash_table *t, uint64_t hash, hash_table_same *same,
                const void *elements, const void *wanted) {
    return t->room ? *hash_table_slot(t, hash, same, elements, wanted) - 1 : HASH_TABLE_NONE;
}

#endif
