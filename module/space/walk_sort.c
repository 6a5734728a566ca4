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

static void insert_each(struct walk_key *keys, size_t n) {
    for (size_t i = 1; i < n; i++) {
        struct walk_key key = keys[i];
        size_t to = i;
        for (; to > 0 && key.prefix < keys[to - 1].prefix; to--)
            keys[to] = keys[to - 1];
        keys[to] = key;
    }
}

/* Merge sort by the prefixes; SPARE has room for the first half. */
static void sort_prefixes(struct walk_key *keys, size_t n, struct walk_key *spare) {
    if (n <= FEW) {
        insert_each(keys, n);
        return;
    }
    size_t half = n / 2;
    sort_prefixes(keys, half, spare);
    sort_prefixes(keys + half, n - half, spare);
    memcpy(spare, keys, half * sizeof *spare);
    size_t left = 0, right = half;
    for (size_t to = 0; left < half; to++) {
        bool from_right = right < n && keys[right].prefix < spare[left].prefix;
        keys[to] = from_right ? keys[right++] : spare[left++];
    }
}

/* Sorts KEYS by the bytes from SKIP on, eight at a time.  The recursion is as deep as a name has
 * eights of bytes. */
static void sort_from(struct walk_key *keys, size_t n, struct walk_key *spare, size_t skip,
                      enum walk_order order) {
    for (size_t i = 0; i < n; i++)
        keys[i].prefix = prefix_of(keys[i].entry, skip, order);
    sort_prefixes(keys, n, spare);
    for (size_t from = 0, to = 1; from < n; from = to++) {
        while (to < n && keys[to].prefix == keys[from].prefix)
            to++;
        bool go_on = keys[from].entry->name_len - skip >= sizeof keys->prefix;
        if (to - from > 1 && go_on) /* else one name is there twice */
            sort_from(keys + from, to - from, spare, skip + sizeof keys->prefix, order);
    }
}

void walk_sort(const struct walk_entry *from, size_t n, enum walk_order order,
               struct walk_key *keys, struct walk_entry *to) {
    size_t skip = common_beginning(from, n);
    for (size_t i = 0; i < n; i++)
        keys[i].entry = &from[i];
    sort_from(keys, n, keys + n, skip, order);
    for (size_t i = 0; i < n; i++)
        to[i] = *keys[i].entry;
}

static bool is_before(const struct walk_entry *a, const struct walk_entry *b,
                      enum walk_order order) {
    const size_t n = a->name_len < b->name_len ? a->name_len : b->name_len;
    const int difference = memcmp(a->name, b->name, n);
    if (difference || a->name_len == b->name_len)
        return difference ? difference < 0 : end_of(a, order) < end_of(b, order);
    return a->name_len < b->name_len ? end_of(a, order) < (unsigned char)b->name[n]
                                     : (unsigned char)a->name[n] < end_of(b, order);
}

/* The entry that has PROBE's name, and sorts where PROBE would. */
static struct walk_entry *find_like(const struct walk_dir *dir, const struct walk_entry *probe,
                                    enum walk_order order) {
    size_t from = 0, to = dir->n;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (is_before(&dir->entries[middle], probe, order))
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
