/* memory_map.h -- names to objects, in order, never changed.
 *
 * A map is a balanced tree whose nodes are shared by all maps that were made of
 * one another: to put one name into a map of n takes log n new nodes, and
 * keeping the map that was there before takes nothing.  NULL is the empty map.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MEMORY_MAP_H
#define AQFS_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>

struct memory_map;
struct memory_object;

struct memory_map *memory_map_keep(struct memory_map *map);
void memory_map_drop(struct memory_map *map);

/* The object that NAME stands for, the map's own; or NULL. */
struct memory_object *memory_map_find(const struct memory_map *map, const char *name, size_t n);

/* *OUT is MAP with NAME standing for OBJECT, which is kept once more, or without NAME; the caller's
 * to drop.  MAP stays as it is.  False when there is no memory. */
bool memory_map_with(const struct memory_map *map, const char *name, size_t n,
                     struct memory_object *object, struct memory_map **out);
bool memory_map_without(struct memory_map *map, const char *name, size_t n,
                        struct memory_map **out);

/* The names in bytewise order, from `next` on; the caller zeroes it but for `map`. */
#define MEMORY_MAP_HEIGHT 64
struct memory_cursor {
    const struct memory_map *map;
    const struct memory_map *above[MEMORY_MAP_HEIGHT]; /* whose own entry is still to come */
    int depth;
    bool started;
    const char *name; /* NUL-terminated, the map's own */
    size_t n;
    struct memory_object *object;
};
/* False when there are no more. */
bool memory_cursor_next(struct memory_cursor *cursor);

/* Bytewise; a name that another begins with comes before it. */
int memory_name_compare(const char *a, size_t a_n, const char *b, size_t b_n);

#endif
