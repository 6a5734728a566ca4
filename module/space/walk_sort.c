/* walk_sort.c -- the entries of one directory, in order: see walk_sort.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walk_sort.h"

#include <endian.h>
#include <string.h>

/* Up to this many keys, sorting by insertion is faster than merging. */
#define FEW 12

/* In the order of whole paths a directory sorts as the paths below it do: as if its name ended in a
 * slash. */
static unsigned char end_of(const struct walk_entry *entry, enum walk_order order) {
    return order == WALK_BY_PATH && entry->type == NODE_DIRECTORY ? '/' : '\0';
}

/* The bytes of the name from SKIP on, as a number that compares as they do. */
static uint64_t prefix_of(const struct walk_entry *entry, size_t skip, enum walk_order order) {
    uint64_t prefix = 0;
    size_t n = entry->name_len - skip;
    if (n >= sizeof prefix) {
        memcpy(&prefix, entry->name + skip, sizeof prefix);
        return be64toh(prefix);
    }
    unsigned char bytes[sizeof prefix] = {0};
    memcpy(bytes, entry->name + skip, n);
    bytes[n] = end_of(entry, order);
    memcpy(&prefix, bytes, sizeof prefix);
    return be64toh(prefix);
}

/* How many bytes all names begin with. */
static size_t common_beginning(const struct walk_entry *entries, size_t n) {
    size_t common = entries[0].name_len;
    for (size_t i = 1; i < n && common > 0; i++) {
        size_t same = 0, most = entries[i].name_len < common ? entries[i].name_len : common;
        while (same < most && entries[i].name[same] == entries[0].name[same])
            same++;
        common = same;
    }
    return common;
}

static unsigned char byte_at(const struct walk_entry *entry, size_t i, enum walk_order order) {
    return i < entry->name_len ? (unsigned char)entry->name[i] : end_of(entry, order);
}

static bool is_before(const struct walk_key *a, const struct walk_key *b, enum walk_order order) {
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix;
    const struct walk_entry *x = a->entry, *y = b->entry;
    size_t n = x->name_len < y->name_len ? x->name_len : y->name_len;
    int difference = memcmp(x->name, y->name, n);
    if (difference)
        return difference < 0;
    if (byte_at(x, n, order) != byte_at(y, n, order))
        return byte_at(x, n, order) < byte_at(y, n, order);
    return x->name_len < y->name_len;
}

static void insert_each(struct walk_key *keys, size_t n, enum walk_order order) {
    for (size_t i = 1; i < n; i++) {
        struct walk_key key = keys[i];
        size_t to = i;
        for (; to > 0 && is_before(&key, &keys[to - 1], order); to--)
            keys[to] = keys[to - 1];
        keys[to] = key;
    }
}

/* Merge sort; SPARE has room for the first half. */
static void sort(struct walk_key *keys, size_t n, struct walk_key *spare, enum walk_order order) {
    if (n <= FEW) {
        insert_each(keys, n, order);
        return;
    }
    size_t half = n / 2;
    sort(keys, half, spare, order);
    sort(keys + half, n - half, spare, order);
    memcpy(spare, keys, half * sizeof *spare);
    size_t left = 0, right = half;
    for (size_t to = 0; left < half; to++) {
        bool from_right = right < n && is_before(&keys[right], &spare[left], order);
        keys[to] = from_right ? keys[right++] : spare[left++];
    }
}

void walk_sort(const struct walk_entry *from, size_t n, enum walk_order order,
               struct walk_key *keys, struct walk_entry *to) {
    size_t skip = common_beginning(from, n);
    for (size_t i = 0; i < n; i++)
        keys[i] = (struct walk_key){prefix_of(&from[i], skip, order), &from[i]};
    sort(keys, n, keys + n, order);
    for (size_t i = 0; i < n; i++)
        to[i] = *keys[i].entry;
}

/* The entry that has PROBE's name, and sorts where PROBE would. */
static struct walk_entry *find_like(const struct walk_dir *dir, const struct walk_entry *probe,
                                    enum walk_order order) {
    const struct walk_key wanted = {prefix_of(probe, 0, order), probe};
    size_t from = 0, to = dir->n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct walk_entry *entry = &dir->entries[middle];
        if (is_before(&(struct walk_key){prefix_of(entry, 0, order), entry}, &wanted, order))
            from = middle + 1;
        else
            to = middle;
    }
    struct walk_entry *found = from < dir->n ? &dir->entries[from] : NULL;
    bool is_it = found && found->name_len == probe->name_len &&
                 memcmp(found->name, probe->name, probe->name_len) == 0;
    return is_it ? found : NULL;
}

struct walk_entry *walk_sort_find(const struct walk_dir *dir, const char *name, size_t n,
                                  enum walk_order order) {
    struct walk_entry probe = {.name = name, .name_len = (uint32_t)n, .type = NODE_FILE};
    struct walk_entry *found = find_like(dir, &probe, order);
    if (found || order != WALK_BY_PATH)
        return found;
    probe.type = NODE_DIRECTORY;
    return find_like(dir, &probe, order);
}
