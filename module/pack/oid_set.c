/* oid_set.c -- a set of names of objects.
 *
 * SPDX-License-Identifier: MIT
 */
#include "oid_set.h"

#include <stdlib.h>

/* No object is called that. */
static const struct oid none = {{0}};

/* Where it is, or would be. */
static size_t slot_of_oid(const struct oid_set *set, const struct oid *oid) {
    size_t at;
    memcpy(&at, oid->bytes, sizeof at); /* as good as random */
    for (at &= set->room - 1; !oid_equal(&set->slots[at], &none); at = (at + 1) & (set->room - 1))
        if (oid_equal(&set->slots[at], oid))
            break;
    return at;
}

bool oid_set_has(const struct oid_set *set, const struct oid *oid) {
    return set->room > 0 && !oid_equal(&set->slots[slot_of_oid(set, oid)], &none);
}

static bool grow_slots(struct oid_set *set) {
    struct oid_set grown = {.room = set->room ? set->room * 2 : 1024};
    grown.slots = calloc(grown.room, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < set->room; i++)
        if (!oid_equal(&set->slots[i], &none))
            grown.slots[slot_of_oid(&grown, &set->slots[i])] = set->slots[i];
    grown.n = set->n;
    free(set->slots);
    *set = grown;
    return true;
}

bool oid_set_add(struct oid_set *set, const struct oid *oid) {
    if (set->n * 2 >= set->room && !grow_slots(set))
        return false;
    size_t at = slot_of_oid(set, oid);
    set->n += oid_equal(&set->slots[at], &none);
    set->slots[at] = *oid;
    return true;
}

void oid_set_free(struct oid_set *set) {
    free(set->slots);
    *set = (struct oid_set){0};
}
