/* SPDX-License-Identifier: MIT */
#include "text_file.h"

#include "die.h"

#include <stdlib.h>
#include <string.h>

bool text_file_read(const char *path, struct buf *out) {
    char piece[65536];
    size_t n;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    while ((n = fread(piece, 1, sizeof piece, file)) > 0)
        buf_add(out, piece, n);
    bool ok = !ferror(file);
    (void)fclose(file);
    return ok && !out->failed;
}

struct file_list file_list_read(FILE *from) {
    struct file_list list = {0};
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    while ((n = getline(&line, &room, from)) > 0) {
        char **more = reallocarray(list.names, list.n + 1, sizeof *more);
        if (!more)
            die_of("reallocarray");
        list.names = more;
        line[n - 1] = '\0';
        list.names[list.n++] = strdup(line);
    }
    free(line);
    return list;
}

void file_list_free(struct file_list *list) {
    for (size_t i = 0; i < list->n; i++)
        free(list->names[i]);
    free(list->names);
    *list = (struct file_list){0};
}
