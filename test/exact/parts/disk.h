/* SPDX-License-Identifier: MIT */
/* disk.h -- a file as it is on disk: its bytes, mode, owner and extended attributes. */
#ifndef EXACT_DISK_H
#define EXACT_DISK_H

#include "buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct on_disk {
    struct buf bytes;
    struct stat stat;
    struct buf attributes; /* each name, its value's length and its value */
    size_t attribute_count;
};

void disk_free(struct on_disk *s);

/* At most MOST bytes. */
bool read_fd(int fd, struct buf *out, size_t most);
bool disk_take(const char *path, struct on_disk *s);
bool same_bytes(const struct buf *a, const struct buf *b);

/* The difference, or NULL. */
const char *disk_difference(const struct on_disk *a, const struct on_disk *b, bool bytes_too);

/* Permissions and attributes unlike those of the file before, as far as the machine has them. */
bool dress(int fd, size_t number);

#endif
