/* oid_set.c -- a set of the names of git objects: see oid_set.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "oid_set.h"

#include "array.h"

#include <stdlib.h>

static bool is_same_name(const void *names, uint32_t number, const void *wanted) {
    return oid_equal((const struct oid *)names + number, wanted);
}

static uint64_t hash_name(const void *names, uint32_t number) {
    return oid_hash((const struct oid *)names + number);
}

bool oid_set_has(const struct oid_set *set, const struct oid *oid) {
    return hash_table_find(&set->table, oid_hash(oid), is_same_name, set->names, oid) !=
           HASH_TABLE_NONE;
}

static bool grow_names(struct oid_set *set) {
    struct oid *names = array_with_room(set->names, set->n, &set->room, sizeof *names);
    if (names)
        set->names = names;
    return names;
}

bool oid_set_add(struct oid_set *set, const struct oid *oid) {
    if (!grow_names(set) || !hash_table_grow(&set->table, set->n, hash_name, set->names))
        return false;
    uint32_t *slot = hash_table_slot(&set->table, oid_hash(oid), is_same_name, set->names, oid);
    if (*slot)
        return true;
    set->names[set->n++] = *oid;
    *slot = (uint32_t)set->n;
    return true;
}

void oid_set_free(struct oid_set *set) {
    free(set->names);
    hash_table_close(&set->table);
    *set = (struct oid_set){0};
}
