/* oid_set.h -- a set of the names of git objects.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_OID_SET_H
#define AQFS_OID_SET_H

#include "hash_table.h"
#include "pack.h"

/* A zeroed set is empty. */
struct oid_set {
    struct oid *names;
    size_t n, room;
    struct hash_table table; /* of names */
};

bool oid_set_has(const struct oid_set *set, const struct oid *oid);
/* False without memory. */
bool oid_set_add(struct oid_set *set, const struct oid *oid);
void oid_set_free(struct oid_set *set);

#endif
