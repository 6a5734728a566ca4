/* SPDX-License-Identifier: MIT */
/* text_file.h -- whole files, and lists of them, for the programs of this folder. */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include "buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Appends the bytes of the file PATH to OUT; false if it cannot be read. */
bool text_file_read(const char *path, struct buf *out);

struct file_list {
    char **names;
    size_t n;
};

/* The lines of FROM, each the name of a file. */
struct file_list file_list_read(FILE *from);
void file_list_free(struct file_list *list);

#endif
