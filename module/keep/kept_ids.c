/* kept_ids.c -- the ids of records.
 *
 * SPDX-License-Identifier: MIT
 */
#include "array.h"
#include "kept_parts.h"

#include <stdlib.h>
#include <string.h>

bool kept_is_id(const char *text, size_t n) {
    static const char digits[] = "0123456789abcdef";
    if (n != KEPT_ID - 1 || text[ID_TIME] != '-')
        return false;
    for (size_t i = 0; i < n; i++)
        if (i != ID_TIME && (!text[i] || !strchr(digits, text[i])))
            return false;
    return true;
}

/* -- origins ----------------------------------------------------------------------------------- */

static const char origin_digits[ORIGIN_COUNT] = {
    [ORIGIN_PERSON] = 'a', [ORIGIN_MODEL] = 'b', [ORIGIN_UNDO] = 'c'};

char kept_origin_digit(enum origin origin) {
    return origin_digits[origin];
}

enum origin kept_origin_of(const char *id) {
    for (int origin = 0; origin < ORIGIN_COUNT; origin++)
        if (id[ID_TIME + 1] == origin_digits[origin])
            return (enum origin)origin;
    return ORIGIN_MODEL;
}

void kept_share(struct kept_shares *shares, const char *id, int64_t bytes) {
    shares->n[kept_origin_of(id)]++;
    shares->bytes[kept_origin_of(id)] += bytes;
}

void kept_unshare(struct kept_shares *shares, const char *id, int64_t bytes) {
    shares->n[kept_origin_of(id)]--;
    shares->bytes[kept_origin_of(id)] -= bytes;
}

enum origin kept_largest(const struct kept_shares *shares, bool by_count) {
    const int64_t *of = by_count ? shares->n : shares->bytes;
    enum origin most = ORIGIN_PERSON;
    for (int origin = 0; origin < ORIGIN_COUNT; origin++)
        if (of[origin] > of[most])
            most = (enum origin)origin;
    return most;
}

/* -- lists ------------------------------------------------------------------------------------- */

void kept_ids_add(struct kept_ids *ids, const char *name) {
    void *all = array_with_room(ids->all, ids->n, &ids->room, sizeof *ids->all);
    if (!all) {
        ids->failed = true;
        return;
    }
    ids->all = all;
    memcpy(ids->all[ids->n++], name, KEPT_ID);
}

static int compare_ids(const void *a, const void *b) {
    return strcmp(a, b);
}

void kept_ids_sort(struct kept_ids *ids) {
    if (ids->n > 0)
        qsort(ids->all, ids->n, sizeof *ids->all, compare_ids);
}

void kept_ids_free(struct kept_ids *ids) {
    free(ids->all);
    *ids = (struct kept_ids){0};
}
