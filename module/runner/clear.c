/* clear.c -- a directory that a program has filled becomes empty: see clear.h.
 *
 * Directories are not entered one below the other, because there may be more of them than
 * descriptors or stack: what is in a directory moves up, until the top holds everything.
 *
 * SPDX-License-Identifier: MIT
 */
#include "clear.h"

#include "cleanup.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static DIR *list_open(int at, const char *name) {
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);
    if (!directory)
        cleanup_close(&fd);
    return directory;
}

static bool is_dots(const char *name) {
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Deletes the directory NAME of TOP.  Its entries are deleted or moved to TOP, under new names.
 * Returns whether anything has changed. */
static bool empty_into(int top, const char *name, unsigned long *number) {
    bool progress = false;
    (void)!fchmodat(top, name, 0700, 0);
    DIR *directory = list_open(top, name);
    if (!directory)
        return false;
    for (struct dirent *entry; (entry = readdir(directory));) {
        char fresh[32];
        int fd = dirfd(directory);
        if (is_dots(entry->d_name))
            continue;
        if (unlinkat(fd, entry->d_name, 0) == 0) {
            progress = true;
            continue;
        }
        (void)!fchmodat(fd, entry->d_name, 0700, 0);
        (void)snprintf(fresh, sizeof fresh, "cleared-%lu", ++*number);
        progress |= renameat(fd, entry->d_name, top, fresh) == 0;
    }
    (void)closedir(directory);
    return unlinkat(top, name, AT_REMOVEDIR) == 0 || progress;
}

void clear_directory(int fd) {
    unsigned long number = 0;
    for (bool progress = true; progress;) {
        progress = false;
        DIR *directory = list_open(fd, ".");
        if (!directory)
            return;
        for (struct dirent *entry; (entry = readdir(directory));)
            if (!is_dots(entry->d_name))
                progress |=
                    unlinkat(fd, entry->d_name, 0) == 0 || empty_into(fd, entry->d_name, &number);
        (void)closedir(directory);
    }
}
