/* memory_map.h -- names to objects, in order, never changed.
 *
 * A map is a balanced tree.  A map made from another one shares nodes with it:
 * putting a name into a map of n names makes log n new nodes, and the old map
 * stays valid at no cost.  NULL is the empty map.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MEMORY_MAP_H
#define AQFS_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct memory_map;
struct memory_object;

/* Count one user more, or one less.  MAP may be NULL. */
struct memory_map *memory_map_keep(struct memory_map *map);
void memory_map_drop(struct memory_map *map);

/* The object of NAME, which the map owns, or NULL. */
struct memory_object *memory_map_find(const struct memory_map *map, const char *name, size_t n);

/* Makes *OUT, for the caller to drop: MAP with OBJECT, which is kept, as NAME, or MAP without NAME.
 * MAP stays valid.  False without memory. */
bool memory_map_with(const struct memory_map *map, const char *name, size_t n,
                     struct memory_object *object, struct memory_map **out);
bool memory_map_without(struct memory_map *map, const char *name, size_t n,
                        struct memory_map **out);

/* Goes over the names in bytewise order.  The caller sets `map` and zeroes the rest. */
#define MEMORY_MAP_HEIGHT 64
struct memory_cursor {
    const struct memory_map *map;
    const struct memory_map *above[MEMORY_MAP_HEIGHT]; /* ancestors whose own entry comes later */
    int depth;
    bool started;
    const char *name; /* NUL-terminated; the map owns it */
    size_t n;
    struct memory_object *object;
};

/* Goes to the next name; false behind the last one. */
bool memory_cursor_next(struct memory_cursor *cursor);

/* Compares bytewise, as memcmp does; a prefix comes before the longer name. */
int memory_name_compare(const char *a, size_t a_n, const char *b, size_t b_n);

#endif
