/* intern.h -- strings as numbers: equal strings have one number.
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
    uint64_t seed; /* differs from run to run, so that nobody can prepare strings that collide */
};

/* For at most MOST strings, which are not copied.  False without memory.  Closing what is zeroed
 * or closed does nothing. */
bool intern_open(struct intern *t, size_t most);
void intern_close(struct intern *t);

/* The hash of a string grows byte by byte from `seed`, so that of every prefix is known. */
static inline uint64_t intern_hash_byte(uint64_t hash, char byte) {
    return (hash ^ (unsigned char)byte) * UINT64_C(0x100000001B3); /* FNV-1a */
}
uint64_t intern_hash(const struct intern *t, const char *bytes, size_t n);

/* The number of a string: a new one, or INTERN_NONE where it was not added. */
uint32_t intern_add(struct intern *t, const char *bytes, size_t n);
uint32_t intern_find(const struct intern *t, const char *bytes, size_t n);
/* The same where the hash is known. */
uint32_t intern_find_hashed(const struct intern *t, uint64_t hash, const char *bytes, size_t n);

#endif
