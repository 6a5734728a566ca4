/* build.c -- making the tree that a disk holds: see build.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "build.h"

#include "die.h"
#include "files.h"
#include "recorder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)

/* Where each file is that was made, for further names of it; "" for none yet. */
struct building {
    const struct disk *d;
    char (*places)[128];
};

static void build_directory(struct building *b, size_t directory, int fd, const char *path);

static void set_times(int dir, const char *name, const struct file *f) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT},
                                {f->modified_ns / SECOND, f->modified_ns % SECOND}};
    must(utimensat(dir, name, times, AT_SYMLINK_NOFOLLOW) == 0, name);
}

/* Owner first: changing it clears bits of the mode. */
static void set_attributes(int fd, const struct file *f) {
    if (f->owner != geteuid() || f->group != getegid())
        (void)!fchown(fd, f->owner, f->group);
    for (size_t i = 0; i < f->attributes_n; i++) {
        const struct attribute *a = &f->attributes[i];
        must(fsetxattr(fd, a->name, a->value, a->n, 0) == 0, a->name);
    }
    must(fchmod(fd, f->mode & 07777) == 0, "fchmod");
}

/* By lstat, which is not wrapped: the core is not to be shown this one. */
static void note_inode(const char *path, const struct file *f) {
    struct stat s;
    must(lstat(path, &s) == 0, path);
    show_inode(s.st_ino, f->inode);
}

static void build_file(int dir, const char *name, const struct file *f) {
    int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, f->bytes, f->n) == (ssize_t)f->n, name);
    set_attributes(fd, f);
    close(fd);
}

static void build_below(struct building *b, size_t number, int dir, const char *name,
                        const char *path) {
    const struct file *f = &b->d->files[number];
    must(mkdirat(dir, name, 0700) == 0, name);
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    must(fd >= 0, name);
    build_directory(b, number, fd, path);
    set_attributes(fd, f);
    close(fd);
}

static void build_entry(struct building *b, const struct slot *slot, int dir, const char *above) {
    const struct file *f = &b->d->files[slot->file];
    char *place = b->places[slot->file];
    char *path = path_of("%s%s%s", above, *above ? "/" : "", slot->name);
    if (*place && !S_ISDIR(f->mode)) {
        must(link(place, path) == 0, path);
    } else if (!*place) {
        must(snprintf(place, sizeof *b->places, "%s", path) < (int)sizeof *b->places,
             "a short path");
        if (S_ISDIR(f->mode))
            build_below(b, slot->file, dir, slot->name, path);
        else if (S_ISLNK(f->mode))
            must(symlinkat(f->bytes, dir, slot->name) == 0, path);
        else
            build_file(dir, slot->name, f);
        set_times(dir, slot->name, f);
        note_inode(path, f);
    }
    free(path);
}

static void build_directory(struct building *b, size_t directory, int fd, const char *path) {
    for (size_t i = 0; i < b->d->slots_n; i++)
        if (b->d->slots[i].directory == directory && b->d->slots[i].file)
            build_entry(b, &b->d->slots[i], fd, path);
}

void build(const struct disk *d) {
    struct building b = {.d = d, .places = calloc(d->files_n, sizeof *b.places)};
    int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!b.places)
        die("no memory");
    must(here >= 0, "open");
    forget_inodes();
    remove_all("root");
    remove_all("state");
    note_inode(".", &d->files[TOP]);
    build_directory(&b, TOP, here, "");
    close(here);
    free(b.places);
}
