/* clear.c -- a directory that a program has filled becomes empty: see clear.h.
 *
 * Directories are not entered one below the other, because there may be more of them than
 * descriptors or stack: what is in a directory moves up, until the top holds everything.
 *
 * SPDX-License-Identifier: MIT
 */
#include "clear.h"

#include "cleanup.h"
#include "clock.h"

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

struct clearing {
    int top;              /* the directory that becomes empty */
    unsigned long number; /* of the names that were given there */
    int64_t end_ns;
};

/* The next entry but `.` and `..`; NULL behind the last one, or when the time is over. */
static const char *next_to_clear(const struct clearing *c, DIR *directory) {
    const struct dirent *entry = NULL;
    while (clock_now_ns() < c->end_ns && (entry = readdir(directory)) != NULL)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            return entry->d_name;
    return NULL;
}

/* Deletes the directory NAME of the top.  Its entries are deleted or moved to the top, under new
 * names.  Returns whether anything has changed. */
static bool empty_into(struct clearing *c, const char *name) {
    bool progress = false;
    (void)!fchmodat(c->top, name, 0700, 0);
    DIR *directory = list_open(c->top, name);
    if (!directory)
        return false;
    for (const char *entry; (entry = next_to_clear(c, directory));) {
        char fresh[32];
        int fd = dirfd(directory);
        if (unlinkat(fd, entry, 0) == 0) {
            progress = true;
            continue;
        }
        (void)!fchmodat(fd, entry, 0700, 0);
        (void)snprintf(fresh, sizeof fresh, "cleared-%lu", ++c->number);
        progress |= renameat(fd, entry, c->top, fresh) == 0;
    }
    (void)closedir(directory);
    return unlinkat(c->top, name, AT_REMOVEDIR) == 0 || progress;
}

void clear_directory(int fd, int64_t end_ns) {
    struct clearing c = {.top = fd, .end_ns = end_ns};
    for (bool progress = true; progress;) {
        progress = false;
        DIR *directory = list_open(fd, ".");
        if (!directory)
            return;
        for (const char *entry; (entry = next_to_clear(&c, directory));)
            progress |= unlinkat(fd, entry, 0) == 0 || empty_into(&c, entry);
        (void)closedir(directory);
    }
}
