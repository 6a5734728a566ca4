/* trees.c -- the content of a tree, as a text: see trees.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "trees.h"

#include "die.h"
#include "files.h"
#include "memory.h"
#include "workspace.h"

#include <stdlib.h>
#include <sys/stat.h>

static void add_bytes(struct buf *out, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%02x", (unsigned char)bytes[i]);
    buf_char(out, '\n');
}

static void tree_of_file(struct buf *out, const char *path) {
    struct buf bytes = {0};
    read_whole(path, &bytes);
    add_bytes(out, bytes.data, bytes.len);
    buf_free(&bytes);
}

void tree_of_directory(struct buf *out, const char *path, const char *below) {
    struct names names = names_below(path);
    for (size_t i = 0; i < names.n; i++) {
        struct stat s;
        char *full = path_of("%s/%s", path, names.names[i]);
        char *shown = path_of("%s/%s", below, names.names[i]);
        must(lstat(full, &s) == 0, full);
        buf_printf(out, "%s %s ", shown, S_ISDIR(s.st_mode) ? "directory\n" : "file");
        if (S_ISDIR(s.st_mode))
            tree_of_directory(out, full, shown);
        else
            tree_of_file(out, full);
        free(full);
        free(shown);
    }
    free_names(&names);
}

static void tree_of_objects(struct buf *out, const struct memory_object *directory,
                            const char *below) {
    struct memory_cursor cursor = {.map = directory->entries};
    while (memory_cursor_next(&cursor)) {
        const struct memory_object *object = cursor.object;
        char *shown = path_of("%s/%s", below, cursor.name);
        buf_printf(out, "%s %s ", shown, object->is_directory ? "directory\n" : "file");
        if (object->is_directory)
            tree_of_objects(out, object, shown);
        else
            add_bytes(out, object->bytes->data, object->bytes->n);
        free(shown);
    }
}

void tree_of_memory(struct buf *out, aqfs_workspace *ws) {
    struct memory_object *top = memory_top(ws->memory);
    tree_of_objects(out, top, "");
    memory_object_drop(top);
}
