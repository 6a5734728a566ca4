/* memory.c -- the current tree of a workspace in memory, and marks of earlier ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memory.h"

#include <stdlib.h>
#include <string.h>

struct memory_root {
    struct memory_object *top;
};

struct memory *memory_new(int64_t most) {
    struct memory *memory = calloc(1, sizeof *memory);
    if (!memory)
        return NULL;
    pthread_mutex_init(&memory->lock, NULL);
    memory->most = most;
    memory->meter = memory_meter_new();
    memory->top = memory->meter ? memory_directory_new(memory->meter) : NULL;
    memory->initial = memory_object_keep(memory->top);
    if (memory->top)
        return memory;
    memory_free(memory);
    return NULL;
}

void memory_free(struct memory *memory) {
    if (!memory)
        return;
    if (memory->kept)
        memory->free_kept(memory->kept);
    memory_object_drop(memory->top);
    memory_object_drop(memory->initial);
    memory_meter_drop(memory->meter);
    pthread_mutex_destroy(&memory->lock);
    free(memory);
}

struct memory_object *memory_top(struct memory *memory) {
    pthread_mutex_lock(&memory->lock);
    struct memory_object *top = memory_object_keep(memory->top);
    pthread_mutex_unlock(&memory->lock);
    return top;
}

/* -- marks ------------------------------------------------------------------------------------ */

struct memory_root *memory_mark(struct aqfs_workspace *ws) {
    struct memory_root *root = malloc(sizeof *root);
    if (root)
        root->top = memory_top(ws->memory);
    return root;
}

struct memory_root *memory_mark_again(const struct memory_root *root) {
    struct memory_root *again = malloc(sizeof *again);
    if (again)
        again->top = memory_object_keep(root->top);
    return again;
}

void memory_unmark(struct memory_root *root) {
    if (root)
        memory_object_drop(root->top);
    free(root);
}

bool memory_same(const struct memory_root *a, const struct memory_root *b) {
    return a->top == b->top;
}

const struct memory_object *memory_at(const struct memory_root *root, const char *path) {
    return memory_tree_find(root->top, path, NULL);
}

int memory_reset(struct aqfs_workspace *ws, const struct memory_root *root,
                 const struct memory_root *expected, struct error *e) {
    struct memory *memory = ws->memory;
    struct memory_object *old = NULL;
    pthread_mutex_lock(&memory->lock);
    bool changed = expected && memory->top != expected->top;
    if (!changed) {
        old = memory->top;
        memory->top = memory_object_keep(root->top);
    }
    pthread_mutex_unlock(&memory->lock);
    memory_object_drop(old);
    return changed ? fail(e, AQFS_STALE, "The workspace has changed meanwhile: nothing was done")
                   : AQFS_OK;
}

/* -- what differs ----------------------------------------------------------------------------- */

struct object_comparison {
    struct buf path;
    int (*each)(void *data, const struct memory_change *change);
    void *data;
};

static int compare_objects(struct object_comparison *c, const struct memory_object *before,
                           const struct memory_object *after);

/* Compares the entries NAME; BEFORE or AFTER is NULL where that side has none. */
static int compare_named(struct object_comparison *c, const char *name,
                         const struct memory_object *before, const struct memory_object *after) {
    size_t above = c->path.len;
    if (above > 0)
        buf_char(&c->path, '/');
    buf_str(&c->path, name);
    int code = c->path.failed ? AQFS_LIMIT : compare_objects(c, before, after);
    if (!c->path.failed)
        c->path.data[c->path.len = above] = '\0';
    return code;
}

static int compare_entries(struct object_comparison *c, const struct memory_map *before,
                           const struct memory_map *after) {
    struct memory_cursor b = {.map = before}, a = {.map = after};
    bool more_b = memory_cursor_next(&b), more_a = memory_cursor_next(&a);
    int code = AQFS_OK;
    while (!code && (more_b || more_a)) {
        int order = !more_b ? 1 : !more_a ? -1 : memory_name_compare(b.name, b.n, a.name, a.n);
        code = compare_named(c, order <= 0 ? b.name : a.name, order <= 0 ? b.object : NULL,
                             order >= 0 ? a.object : NULL);
        if (order <= 0)
            more_b = memory_cursor_next(&b);
        if (order >= 0)
            more_a = memory_cursor_next(&a);
    }
    return code;
}

static bool is_directory_object(const struct memory_object *object) {
    return object && object->is_directory;
}

/* The entries of a directory; NULL, the empty map, for a file and where there is no object. */
static const struct memory_map *entries_of(const struct memory_object *object) {
    return object ? object->entries : NULL;
}

/* Recursion is as deep as directories are nested, which the length of a path bounds. */
static int compare_objects(struct object_comparison *c, const struct memory_object *before,
                           const struct memory_object *after) {
    int code = AQFS_OK;
    if (before == after)
        return AQFS_OK;
    if (!is_directory_object(before) || !is_directory_object(after))
        code = c->each(c->data, &(struct memory_change){c->path.data, before, after});
    if (!code && (is_directory_object(before) || is_directory_object(after)))
        code = compare_entries(c, entries_of(before), entries_of(after));
    return code;
}

int memory_compare(const struct memory_root *before, const struct memory_root *after,
                   int (*each)(void *data, const struct memory_change *change), void *data) {
    struct object_comparison c = {.each = each, .data = data};
    buf_str(&c.path, "");
    int code = c.path.failed ? AQFS_LIMIT : compare_objects(&c, before->top, after->top);
    buf_free(&c.path);
    return code;
}
