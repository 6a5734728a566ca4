/* intern.h -- numbers for strings: equal strings have the same number.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_INTERN_H
#define AQFS_INTERN_H

#include "hash_table.h"

#define INTERN_NONE HASH_TABLE_NONE

struct intern {
    struct interned *strings; /* by number */
    uint32_t count;
    struct hash_table table;
    uint64_t seed; /* differs from run to run, so that nobody can prepare colliding strings */
};

/* Opens a table for at most MOST strings.  It does not copy them, so they must outlive it.  False
 * without memory.  intern_close may be called on a zeroed or closed table. */
bool intern_open(struct intern *t, size_t most);
void intern_close(struct intern *t);

/* Extends the hash of a string by a byte; the empty string's is `seed`.  So hashing a string also
 * gives the hash of each of its prefixes. */
static inline uint64_t intern_hash_byte(uint64_t hash, char byte) {
    return (hash ^ (unsigned char)byte) * UINT64_C(0x100000001B3); /* FNV-1a */
}
uint64_t intern_hash(const struct intern *t, const char *bytes, size_t n);

/* Return the number of a string: intern_add adds a new string, intern_find returns INTERN_NONE for
 * it. */
uint32_t intern_add(struct intern *t, const char *bytes, size_t n);
uint32_t intern_find(const struct intern *t, const char *bytes, size_t n);
/* intern_find, for a caller that knows the hash. */
uint32_t intern_find_hashed(const struct intern *t, uint64_t hash, const char *bytes, size_t n);

#endif
