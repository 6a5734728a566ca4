/* watches.h -- notices, by inotify, that files may have changed.
 *
 * A file is watched by the directories that lead to it: so one that is replaced, deleted, made
 * again or moved with its directory is noticed, too.  Nothing here looks into a file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_WATCHES_H
#define AQFS_WATCHES_H

#include "error.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct watches {
    int notify; /* a descriptor: readable when something has happened */
    pthread_mutex_t lock;
    struct watched_directory *directories; /* guarded by lock, as all below */
    size_t count, room;
};

int watches_open(struct watches *w, struct error *e);
void watches_close(struct watches *w);

/* Watches the directories from ROOT, absolute and without a slash at its end, to the absolute path
 * FILE, as far as there are any; of a FILE that is not below ROOT, its own directory alone.
 * AQFS_LIMIT where no more can be watched; AQFS_IO where not even the first of them can. */
int watches_add(struct watches *w, const char *root, const char *file, struct error *e);

/* Forgets the directories that NEEDED does not want. */
void watches_keep(struct watches *w, bool (*needed)(void *data, const char *directory), void *data);

/* Reads what the kernel has to say, and tells each PATH that may have changed, or of which
 * something below may have; NULL stands for all. */
void watches_read(struct watches *w, void (*tell)(void *data, const char *path), void *data);

#endif
