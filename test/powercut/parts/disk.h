/* disk.h -- what is on the disks: files, and the names that directories have for them.
 *
 * Files and names have numbers.  All that occur in a log have one from the beginning, so that two
 * states of the same disks can be compared number by number.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef POWERCUT_DISK_H
#define POWERCUT_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define ATTRIBUTES_MOST 4
#define NOTHING 0 /* the number of no file */
#define TOP 1     /* the directory that has `root` and `state` */

struct attribute {
    const char *name, *value;
    size_t n;
};

struct file {
    uint64_t inode;
    mode_t mode; /* with its type */
    uid_t owner;
    gid_t group;
    int64_t modified_ns;
    const char *bytes; /* of a link its text */
    char *own;         /* the same, if they are this disk's alone */
    size_t n;
    struct attribute attributes[ATTRIBUTES_MOST];
    size_t attributes_n;
};

struct slot {
    size_t directory;
    const char *name;
    size_t file; /* or NOTHING */
};

struct disk {
    struct file *files; /* the first stands for NOTHING, the second is TOP */
    size_t files_n;
    struct slot *slots;
    size_t slots_n;
    char **held; /* what names and bytes point to */
    size_t held_n;
};

/* Reads all below `root` and `state` of the current directory. */
void disk_scan(struct disk *out);
void disk_free(struct disk *d);

/* The number of a file or name; a new one has nothing yet. */
size_t disk_file(struct disk *d, uint64_t inode);
size_t disk_slot(struct disk *d, size_t directory, const char *name);

/* Makes OUT a disk that holds what FROM does, and that can be changed; FROM must outlive it. */
void disk_copy(const struct disk *from, struct disk *out);
void disk_end_copy(struct disk *d);

void disk_write(struct file *f, size_t offset, const char *bytes, size_t n);
void disk_resize(struct file *f, size_t size);
void disk_attribute(struct file *f, const char *name, const char *value, size_t n);

/* Of all that can be reached by a name. */
uint64_t disk_hash(const struct disk *d);

/* "root/d/x": one of the names of a file, or of a slot, in what is there; freed by the caller. */
char *disk_path(const struct disk *d, size_t slot);

#endif
