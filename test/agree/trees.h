/* trees.h -- what a tree holds, as a text that can be compared. */
#ifndef AGREE_TREES_H
#define AGREE_TREES_H

#include "memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((noreturn, format(printf, 1, 2))) static void fatal(const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
    exit(2);
}

static void add_bytes(struct buf *out, const char *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        buf_printf(out, "%02x", (unsigned char)bytes[i]);
    buf_char(out, '\n');
}

static void tree_of_file(struct buf *out, const char *path) {
    char bytes[65536];
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);
    if (n < 0)
        fatal("%s: %s", path, strerror(errno));
    add_bytes(out, bytes, (size_t)n);
    close(fd);
}

static int bytewise(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* Each name in its order, with its type and what it holds.  PATH may not be there yet. */
static void tree_of_directory(struct buf *out, const char *path, const char *below) {
    struct dirent **entries = NULL;
    int n = scandir(path, &entries, NULL, bytewise);
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        char *full = NULL, *shown = NULL;
        if (asprintf(&full, "%s/%s", path, name) < 0 || asprintf(&shown, "%s/%s", below, name) < 0)
            fatal("out of memory");
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            bool directory = entries[i]->d_type == DT_DIR;
            buf_printf(out, "%s %s ", shown, directory ? "directory\n" : "file");
            if (directory)
                tree_of_directory(out, full, shown);
            else
                tree_of_file(out, full);
        }
        free(full);
        free(shown);
        free(entries[i]);
    }
    free(entries);
}

static void tree_of_objects(struct buf *out, const struct memory_object *directory,
                            const char *below) {
    struct memory_cursor cursor = {.map = directory->entries};
    while (memory_cursor_next(&cursor)) {
        const struct memory_object *object = cursor.object;
        char *shown = NULL;
        if (asprintf(&shown, "%s/%s", below, cursor.name) < 0)
            fatal("out of memory");
        buf_printf(out, "%s %s ", shown, object->is_directory ? "directory\n" : "file");
        if (object->is_directory)
            tree_of_objects(out, object, shown);
        else
            add_bytes(out, object->bytes->data, object->bytes->n);
        free(shown);
    }
}

static void tree_of_memory(struct buf *out, struct aqfs_workspace *ws) {
    struct memory_object *top = memory_top(ws->memory);
    tree_of_objects(out, top, "");
    memory_object_drop(top);
}

static void remove_tree(const char *path) {
    if (unlink(path) == 0 || rmdir(path) == 0)
        return;
    struct dirent **entries = NULL;
    int n = scandir(path, &entries, NULL, bytewise);
    for (int i = 0; i < n; i++) {
        char *below = NULL;
        if (asprintf(&below, "%s/%s", path, entries[i]->d_name) < 0)
            fatal("out of memory");
        if (strcmp(entries[i]->d_name, ".") != 0 && strcmp(entries[i]->d_name, "..") != 0)
            remove_tree(below);
        free(below);
        free(entries[i]);
    }
    free(entries);
    (void)rmdir(path);
}

#endif
