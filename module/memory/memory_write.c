/* memory_write.c -- changing the files in memory, by replacing the current tree.
 *
 * SPDX-License-Identifier: MIT
 */
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A change under way.  It holds the lock from edit_begin to edit_end. */
struct memory_edit {
    struct memory *memory;
    struct memory_object *top; /* the next current tree; the old one until something has changed */
};

static void edit_begin(struct memory_edit *edit, const struct node *dir) {
    const struct memory_handle *handle = dir->object;
    edit->memory = handle->memory;
    pthread_mutex_lock(&edit->memory->lock);
    edit->top = memory_object_keep(edit->memory->top);
}

/* Ends the change.  With AQFS_OK its tree becomes the current one; with another CODE nothing
 * changes. */
static int edit_end(struct memory_edit *edit, int code) {
    struct memory_object *dropped = edit->top;
    if (!code) {
        dropped = edit->memory->top;
        edit->memory->top = edit->top;
    }
    pthread_mutex_unlock(&edit->memory->lock);
    memory_object_drop(dropped);
    return code;
}

static int fail_full(const struct memory *memory, struct error *e) {
    (void)fail(e, AQFS_LIMIT, "There is no room for more in memory: %lld bytes are in use",
               (long long)atomic_load(&memory->meter->bytes));
    error_hint(e, "Delete files that are no longer needed, or raise limits.memory_bytes");
    return AQFS_LIMIT;
}

/* Is there room for an object with N bytes?  AQFS_LIMIT if not. */
static int check_memory_room(const struct memory *memory, size_t n, struct error *e) {
    int64_t left = memory->most - atomic_load(&memory->meter->bytes) - MEMORY_OBJECT_BYTES;
    return left >= 0 && n <= (uint64_t)left ? AQFS_OK : fail_full(memory, e);
}

/* A name in an open directory. */
struct memory_spot {
    const struct node *dir;
    const char *name;
};

/* Sets *OBJECT to the object at SPOT, which the tree owns, or to NULL when there is none. */
static int find_child(const struct memory_edit *edit, struct memory_spot spot,
                      struct memory_object **object, struct error *e) {
    const struct memory_object *directory = memory_directory_now(spot.dir->object, edit->top, e);
    if (!directory)
        return (int)e->code;
    *object = memory_map_find(directory->entries, spot.name, strlen(spot.name));
    return AQFS_OK;
}

/* Puts CHILD at SPOT; removes the name where CHILD is NULL. */
static int put_entry(struct memory_edit *edit, struct memory_spot spot, struct memory_object *child,
                     struct error *e) {
    const struct memory_handle *handle = spot.dir->object;
    const struct memory_object *directory = memory_directory_now(handle, edit->top, e);
    if (!directory)
        return (int)e->code;
    struct memory_object *changed = memory_directory_with(directory, spot.name, child);
    struct memory_object *top = changed ? memory_tree_with(edit->top, handle->path, changed) : NULL;
    memory_object_drop(changed);
    if (!top)
        return fail_memory(e);
    memory_object_drop(edit->top);
    edit->top = top;
    return AQFS_OK;
}

/* Puts CHILD at SPOT, whose name must be free, and drops it.  CHILD is NULL when it could not be
 * made. */
static int put_fresh(struct memory_edit *edit, struct memory_spot spot, struct memory_object *child,
                     struct error *e) {
    struct memory_object *there = NULL;
    int code = child ? find_child(edit, spot, &there, e) : fail_memory(e);
    if (!code && there)
        code = fail_errno(e, EEXIST, "make");
    if (!code)
        code = put_entry(edit, spot, child, e);
    memory_object_drop(child);
    return code;
}

int memory_make_directory(const struct node *dir, const char *name, struct error *e) {
    struct memory_edit edit;
    edit_begin(&edit, dir);
    int code = check_memory_room(edit.memory, 0, e);
    if (!code)
        code = put_fresh(&edit, (struct memory_spot){dir, name},
                         memory_directory_new(edit.memory->meter), e);
    return edit_end(&edit, code);
}

static int check_removable(const struct memory_object *object, bool directory, struct error *e) {
    if (!object)
        return fail_errno(e, ENOENT, "delete");
    if (object->is_directory != directory)
        return fail_errno(e, directory ? ENOTDIR : EISDIR, "delete");
    if (object->entries)
        return fail(e, AQFS_EXISTS, "delete: something was put into the directory");
    return AQFS_OK;
}

int memory_remove(const struct node *dir, const char *name, bool directory, struct error *e) {
    struct memory_spot spot = {dir, name};
    struct memory_object *object = NULL;
    struct memory_edit edit;
    edit_begin(&edit, dir);
    int code = find_child(&edit, spot, &object, e);
    if (!code)
        code = check_removable(object, directory, e);
    if (!code)
        code = put_entry(&edit, spot, NULL, e);
    return edit_end(&edit, code);
}

/* Exchanges the objects at A and B; there may be none. */
static int exchange(struct memory_edit *edit, struct memory_spot a, struct memory_spot b,
                    struct error *e) {
    struct memory_object *at_a = NULL, *at_b = NULL;
    int code = find_child(edit, a, &at_a, e);
    if (!code)
        code = find_child(edit, b, &at_b, e);
    if (code)
        return code;
    memory_object_keep(at_a);
    memory_object_keep(at_b);
    code = put_entry(edit, a, at_b, e);
    if (!code)
        code = put_entry(edit, b, at_a, e);
    memory_object_drop(at_a);
    memory_object_drop(at_b);
    return code;
}

int memory_rename(const struct node *from, const char *name, const struct node *to,
                  const char *new_name, enum rename_kind kind, struct error *e) {
    struct memory_spot a = {from, name}, b = {to, new_name};
    struct memory_object *source = NULL, *target = NULL;
    struct memory_edit edit;
    edit_begin(&edit, from);
    int code = find_child(&edit, a, &source, e);
    if (!code)
        code = find_child(&edit, b, &target, e);
    if (!code && (!source || (kind == RENAME_SWAP && !target)))
        code = fail_errno(e, ENOENT, "rename");
    if (!code && kind == RENAME_FRESH && target)
        code = fail_errno(e, EEXIST, "rename");
    if (!code)
        code = exchange(&edit, a, b, e);
    return edit_end(&edit, code);
}

/* -- new files -------------------------------------------------------------------------------- */

static int fail_mode(struct error *e) {
    (void)fail(e, AQFS_INVALID_ARGUMENT,
               "Files in memory have no permissions: nothing can be made executable");
    error_hint(e, "Leave the mode out of the patch");
    return AQFS_INVALID_ARGUMENT;
}

/* Takes the bytes of the open FILE. */
static int take_all(struct memory *memory, const struct node *file, struct memory_bytes **out,
                    struct error *e) {
    if (file->backend == &memory_backend) {
        const struct memory_handle *handle = file->object;
        *out = memory_bytes_keep(handle->object->bytes);
        return AQFS_OK;
    }
    size_t n = (size_t)file->info.size;
    struct memory_bytes *bytes = memory_bytes_new(memory->meter, n);
    if (!bytes)
        return fail_memory(e);
    ssize_t got = file->backend->read(file, bytes->data, n, 0);
    if (got != (ssize_t)n) {
        memory_bytes_drop(bytes);
        return got < 0 ? fail_errno(e, (int)-got, "read")
                       : fail(e, AQFS_RACED, "It changed while it was read");
    }
    *out = bytes;
    return AQFS_OK;
}

static int take_source_bytes(struct memory *memory, const struct source *source,
                             struct memory_bytes **out, struct error *e) {
    if (source->file)
        return take_all(memory, source->file, out, e);
    *out = memory_bytes_new(memory->meter, source->n);
    if (!*out)
        return fail_memory(e);
    if (source->n > 0)
        memcpy((*out)->data, source->bytes, source->n);
    return AQFS_OK;
}

/* The file whose history the new one continues: LIKE, unless the new file is a copy of LIKE; NULL
 * if none. */
static const struct memory_object *followed(const struct node *like, const struct source *source) {
    const struct memory_handle *handle =
        like && like != source->file && like->backend == &memory_backend ? like->object : NULL;
    return handle ? handle->object : NULL;
}

int memory_stage(struct aqfs_workspace *ws, const struct node *dir, const char *name,
                 const struct node *like, const struct source *source, struct node *made,
                 struct error *e) {
    struct memory *memory = ws->memory;
    struct memory_bytes *bytes = NULL;
    if (source->mode == MODE_EXECUTABLE)
        return fail_mode(e);
    int code =
        check_memory_room(memory, source->file ? (size_t)source->file->info.size : source->n, e);
    if (!code)
        code = take_source_bytes(memory, source, &bytes, e);
    if (code)
        return code;
    struct memory_object *file = memory_file_new(memory->meter, bytes, followed(like, source));
    if (!file)
        return fail_memory(e);
    code = memory_node(memory, file, "", made, e);
    if (code) {
        memory_object_drop(file);
        return code;
    }
    struct memory_edit edit;
    edit_begin(&edit, dir);
    code = edit_end(&edit, put_fresh(&edit, (struct memory_spot){dir, name}, file, e));
    if (code)
        node_close(made);
    return code;
}
