/* memory_tree.c -- files and directories that never change.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memory_tree.h"

#include "clock.h"

#include <stdlib.h>
#include <string.h>

int64_t memory_clock(void) {
    return clock_wall_ns() / NS_PER_MS * NS_PER_MS;
}

/* -- what is counted -------------------------------------------------------------------------- */

struct memory_meter *memory_meter_new(void) {
    struct memory_meter *meter = calloc(1, sizeof *meter);
    if (meter)
        atomic_init(&meter->users, 1);
    return meter;
}

struct memory_meter *memory_meter_keep(struct memory_meter *meter) {
    atomic_fetch_add_explicit(&meter->users, 1, memory_order_relaxed);
    return meter;
}

void memory_meter_drop(struct memory_meter *meter) {
    if (meter && atomic_fetch_sub(&meter->users, 1) == 1)
        free(meter);
}

struct memory_bytes *memory_bytes_new(struct memory_meter *meter, size_t n) {
    struct memory_bytes *bytes = malloc(sizeof *bytes + n);
    if (!bytes)
        return NULL;
    atomic_init(&bytes->users, 1);
    bytes->meter = memory_meter_keep(meter);
    bytes->n = n;
    atomic_fetch_add(&meter->bytes, (int64_t)n);
    return bytes;
}

struct memory_bytes *memory_bytes_keep(struct memory_bytes *bytes) {
    atomic_fetch_add_explicit(&bytes->users, 1, memory_order_relaxed);
    return bytes;
}

void memory_bytes_drop(struct memory_bytes *bytes) {
    if (!bytes || atomic_fetch_sub(&bytes->users, 1) > 1)
        return;
    atomic_fetch_sub(&bytes->meter->bytes, (int64_t)bytes->n);
    memory_meter_drop(bytes->meter);
    free(bytes);
}

/* -- objects ---------------------------------------------------------------------------------- */

static struct memory_object *object_new(struct memory_meter *meter) {
    struct memory_object *object = calloc(1, sizeof *object);
    if (!object)
        return NULL;
    atomic_init(&object->users, 1);
    object->meter = memory_meter_keep(meter);
    atomic_fetch_add(&meter->bytes, MEMORY_OBJECT_BYTES);
    return object;
}

static struct memory_object *object_born(struct memory_meter *meter) {
    struct memory_object *object = object_new(meter);
    if (!object)
        return NULL;
    object->inode = atomic_fetch_add(&meter->inodes, 1) + 1;
    object->created_ns = object->modified_ns = memory_clock();
    return object;
}

struct memory_object *memory_file_new(struct memory_meter *meter, struct memory_bytes *bytes,
                                      const struct memory_object *like) {
    struct memory_object *file = object_born(meter);
    if (!file) {
        memory_bytes_drop(bytes);
        return NULL;
    }
    file->bytes = bytes;
    file->files = 1;
    file->revision = like ? like->revision + 1 : 1;
    if (like)
        file->created_ns = like->created_ns;
    return file;
}

struct memory_object *memory_directory_new(struct memory_meter *meter) {
    struct memory_object *directory = object_born(meter);
    if (directory)
        directory->is_directory = true;
    return directory;
}

struct memory_object *memory_object_keep(struct memory_object *object) {
    if (object)
        atomic_fetch_add_explicit(&object->users, 1, memory_order_relaxed);
    return object;
}

void memory_object_drop(struct memory_object *object) {
    if (!object || atomic_fetch_sub(&object->users, 1) > 1)
        return;
    memory_map_drop(object->entries);
    memory_bytes_drop(object->bytes);
    atomic_fetch_sub(&object->meter->bytes, MEMORY_OBJECT_BYTES);
    memory_meter_drop(object->meter);
    free(object);
}

/* -- trees ------------------------------------------------------------------------------------ */

struct memory_object *memory_tree_find(struct memory_object *top, const char *path,
                                       bool *through_file) {
    struct memory_object *object = top;
    if (through_file)
        *through_file = false;
    while (object && *path) {
        size_t n = strcspn(path, "/");
        if (!object->is_directory) {
            if (through_file)
                *through_file = true;
            return NULL;
        }
        object = memory_map_find(object->entries, path, n);
        path += n + (path[n] == '/');
    }
    return object;
}

/* A copy of DIRECTORY with ENTRIES, which it owns then. */
static struct memory_object *directory_of(const struct memory_object *directory,
                                          struct memory_map *entries) {
    struct memory_object *made = object_new(directory->meter);
    if (!made) {
        memory_map_drop(entries);
        return NULL;
    }
    made->is_directory = true;
    made->inode = directory->inode;
    made->created_ns = directory->created_ns;
    made->modified_ns = directory->modified_ns;
    made->entries = entries;
    made->files = directory->files;
    return made;
}

static struct memory_object *put_child(const struct memory_object *directory, const char *name,
                                       size_t n, struct memory_object *child) {
    struct memory_map *entries;
    const struct memory_object *old = memory_map_find(directory->entries, name, n);
    bool done = child ? memory_map_with(directory->entries, name, n, child, &entries)
                      : memory_map_without(directory->entries, name, n, &entries);
    struct memory_object *made = done ? directory_of(directory, entries) : NULL;
    if (made)
        made->files += (child ? child->files : 0) - (old ? old->files : 0);
    return made;
}

struct memory_object *memory_directory_with(const struct memory_object *directory, const char *name,
                                            struct memory_object *child) {
    struct memory_object *made = put_child(directory, name, strlen(name), child);
    if (made)
        made->modified_ns = memory_clock();
    return made;
}

/* Recursion is as deep as a path has components. */
struct memory_object *memory_tree_with(const struct memory_object *top, const char *path,
                                       struct memory_object *directory) {
    if (!*path)
        return memory_object_keep(directory);
    size_t n = strcspn(path, "/");
    const char *rest = path + n + (path[n] == '/');
    const struct memory_object *child = memory_map_find(top->entries, path, n);
    struct memory_object *changed = child ? memory_tree_with(child, rest, directory) : NULL;
    struct memory_object *made = changed ? put_child(top, path, n, changed) : NULL;
    memory_object_drop(changed);
    return made;
}

/* Recursion is as deep as a path has components. */
struct memory_object *memory_tree_put(const struct memory_object *top, const char *path,
                                      struct memory_object *object) {
    if (!*path)
        return memory_object_keep(object);
    size_t n = strcspn(path, "/");
    const char *rest = path + n + (path[n] == '/');
    struct memory_object *child = memory_object_keep(memory_map_find(top->entries, path, n));
    if (*rest && (!child || !child->is_directory)) {
        memory_object_drop(child);
        child = memory_directory_new(top->meter);
        if (!child)
            return NULL;
    }
    struct memory_object *changed =
        *rest ? memory_tree_put(child, rest, object) : memory_object_keep(object);
    struct memory_object *made = changed ? put_child(top, path, n, changed) : NULL;
    memory_object_drop(changed);
    memory_object_drop(child);
    return made;
}
