/* SPDX-License-Identifier: MIT */
/* text_file.h -- whole files, for the programs of this folder. */
#ifndef TEXT_FILE_H
#define TEXT_FILE_H

#include "buf.h"

#include <stdbool.h>

/* Appends the bytes of the file PATH to OUT; false if it cannot be read. */
bool text_file_read(const char *path, struct buf *out);

#endif
