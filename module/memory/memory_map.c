/* memory_map.c -- names to objects, in order, never changed: an AVL tree of shared nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memory_map.h"

#include "memory_tree.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* A name and its object.  The nodes of several maps share it. */
struct map_entry {
    atomic_uint users;
    struct memory_object *object;
    size_t n;
    char name[];
};

struct memory_map {
    atomic_uint users;
    int height;
    struct memory_map *left, *right;
    struct map_entry *entry;
};

int memory_name_compare(const char *a, size_t a_n, const char *b, size_t b_n) {
    int order = memcmp(a, b, a_n < b_n ? a_n : b_n);
    return order ? order : (a_n > b_n) - (a_n < b_n);
}

/* -- entries and nodes ------------------------------------------------------------------------ */

static struct map_entry *entry_new(const char *name, size_t n, struct memory_object *object) {
    struct map_entry *entry = malloc(sizeof *entry + n + 1);
    if (!entry)
        return NULL;
    atomic_init(&entry->users, 1);
    entry->object = memory_object_keep(object);
    entry->n = n;
    memcpy(entry->name, name, n);
    entry->name[n] = '\0';
    return entry;
}

static struct map_entry *entry_keep(struct map_entry *entry) {
    atomic_fetch_add_explicit(&entry->users, 1, memory_order_relaxed);
    return entry;
}

static void entry_drop(struct map_entry *entry) {
    if (!entry || atomic_fetch_sub(&entry->users, 1) > 1)
        return;
    memory_object_drop(entry->object);
    free(entry);
}

struct memory_map *memory_map_keep(struct memory_map *map) {
    if (map)
        atomic_fetch_add_explicit(&map->users, 1, memory_order_relaxed);
    return map;
}

/* Recursion is as deep as the tree is high, and below it as deep as directories are nested, which
 * the length of a path bounds. */
void memory_map_drop(struct memory_map *map) {
    if (!map || atomic_fetch_sub(&map->users, 1) > 1)
        return;
    memory_map_drop(map->left);
    memory_map_drop(map->right);
    entry_drop(map->entry);
    free(map);
}

struct memory_object *memory_map_find(const struct memory_map *map, const char *name, size_t n) {
    while (map) {
        int order = memory_name_compare(name, n, map->entry->name, map->entry->n);
        if (order == 0)
            return map->entry->object;
        map = order < 0 ? map->left : map->right;
    }
    return NULL;
}

/* -- making new maps --------------------------------------------------------------------------
 *
 * These functions own the maps and entries they are given, and drop them on failure.  Once *FAILED
 * is set, each further call only drops its arguments.
 */

static int height(const struct memory_map *map) {
    return map ? map->height : 0;
}

static struct memory_map *node(struct memory_map *left, struct map_entry *entry,
                               struct memory_map *right, bool *failed) {
    struct memory_map *map = *failed || !entry ? NULL : malloc(sizeof *map);
    if (!map) {
        *failed = true;
        memory_map_drop(left);
        memory_map_drop(right);
        entry_drop(entry);
        return NULL;
    }
    atomic_init(&map->users, 1);
    map->height = 1 + (height(left) > height(right) ? height(left) : height(right));
    map->left = left;
    map->right = right;
    map->entry = entry;
    return map;
}

/* Rotates to the right; LEFT is higher than RIGHT by two. */
static struct memory_map *lean_right(struct memory_map *left, struct map_entry *entry,
                                     struct memory_map *right, bool *failed) {
    struct memory_map *low = memory_map_keep(left->left), *high = memory_map_keep(left->right);
    struct map_entry *top = entry_keep(left->entry);
    memory_map_drop(left);
    if (height(low) >= height(high))
        return node(low, top, node(high, entry, right, failed), failed);
    struct memory_map *before = memory_map_keep(high->left), *behind = memory_map_keep(high->right);
    struct map_entry *middle = entry_keep(high->entry);
    memory_map_drop(high);
    low = node(low, top, before, failed);
    return node(low, middle, node(behind, entry, right, failed), failed);
}

/* Rotates to the left; RIGHT is higher than LEFT by two. */
static struct memory_map *lean_left(struct memory_map *left, struct map_entry *entry,
                                    struct memory_map *right, bool *failed) {
    struct memory_map *low = memory_map_keep(right->left), *high = memory_map_keep(right->right);
    struct map_entry *top = entry_keep(right->entry);
    memory_map_drop(right);
    if (height(high) >= height(low))
        return node(node(left, entry, low, failed), top, high, failed);
    struct memory_map *before = memory_map_keep(low->left), *behind = memory_map_keep(low->right);
    struct map_entry *middle = entry_keep(low->entry);
    memory_map_drop(low);
    left = node(left, entry, before, failed);
    return node(left, middle, node(behind, top, high, failed), failed);
}

/* A map of LEFT, ENTRY and RIGHT, whose heights differ by two at most. */
static struct memory_map *balanced(struct memory_map *left, struct map_entry *entry,
                                   struct memory_map *right, bool *failed) {
    if (!*failed && height(left) > height(right) + 1)
        return lean_right(left, entry, right, failed);
    if (!*failed && height(right) > height(left) + 1)
        return lean_left(left, entry, right, failed);
    return node(left, entry, right, failed);
}

static struct memory_map *with(const struct memory_map *map, struct map_entry *entry,
                               bool *failed) {
    if (!map)
        return node(NULL, entry_keep(entry), NULL, failed);
    struct memory_map *left = map->left, *right = map->right;
    int order = memory_name_compare(entry->name, entry->n, map->entry->name, map->entry->n);
    if (order == 0)
        return node(memory_map_keep(left), entry_keep(entry), memory_map_keep(right), failed);
    left = order < 0 ? with(left, entry, failed) : memory_map_keep(left);
    right = order > 0 ? with(right, entry, failed) : memory_map_keep(right);
    return balanced(left, entry_keep(map->entry), right, failed);
}

bool memory_map_with(const struct memory_map *map, const char *name, size_t n,
                     struct memory_object *object, struct memory_map **out) {
    bool failed = false;
    struct map_entry *entry = entry_new(name, n, object);
    if (!entry)
        return false;
    struct memory_map *made = with(map, entry, &failed);
    entry_drop(entry);
    if (!failed)
        *out = made;
    return !failed;
}

/* MAP without its first entry, which *FIRST becomes. */
static struct memory_map *without_first(const struct memory_map *map, struct map_entry **first,
                                        bool *failed) {
    if (!map->left) {
        *first = entry_keep(map->entry);
        return memory_map_keep(map->right);
    }
    struct memory_map *left = without_first(map->left, first, failed);
    return balanced(left, entry_keep(map->entry), memory_map_keep(map->right), failed);
}

/* A map of the entries of LEFT and RIGHT, which stay the caller's. */
static struct memory_map *joined(struct memory_map *left, struct memory_map *right, bool *failed) {
    struct map_entry *first;
    if (!left || !right)
        return memory_map_keep(left ? left : right);
    struct memory_map *rest = without_first(right, &first, failed);
    return balanced(memory_map_keep(left), first, rest, failed);
}

static struct memory_map *without(struct memory_map *map, const char *name, size_t n,
                                  bool *failed) {
    if (!map)
        return NULL;
    struct memory_map *left = map->left, *right = map->right;
    int order = memory_name_compare(name, n, map->entry->name, map->entry->n);
    if (order == 0)
        return joined(left, right, failed);
    left = order < 0 ? without(left, name, n, failed) : memory_map_keep(left);
    right = order > 0 ? without(right, name, n, failed) : memory_map_keep(right);
    return balanced(left, entry_keep(map->entry), right, failed);
}

bool memory_map_without(struct memory_map *map, const char *name, size_t n,
                        struct memory_map **out) {
    bool failed = false;
    struct memory_map *made = without(map, name, n, &failed);
    if (!failed)
        *out = made;
    return !failed;
}

/* -- in order --------------------------------------------------------------------------------- */

/* Goes down to the first entry of MAP.  An AVL tree of n entries has less than 1.45 * log2(n)
 * levels: one with more than MEMORY_MAP_HEIGHT levels would have 2^44 entries and not fit into
 * memory. */
static void descend(struct memory_cursor *c, const struct memory_map *map) {
    for (; map && c->depth < MEMORY_MAP_HEIGHT; map = map->left)
        c->above[c->depth++] = map;
}

bool memory_cursor_next(struct memory_cursor *c) {
    if (!c->started)
        descend(c, c->map);
    c->started = true;
    if (c->depth == 0)
        return false;
    const struct memory_map *map = c->above[--c->depth];
    descend(c, map->right);
    c->name = map->entry->name;
    c->n = map->entry->n;
    c->object = map->entry->object;
    return true;
}
