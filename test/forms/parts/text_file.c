/* SPDX-License-Identifier: MIT */
#include "text_file.h"

#include <stdio.h>

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
