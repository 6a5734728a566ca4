/* libraries.h -- outside libraries that stay loaded while a workspace is open.
 *
 * Loading libmagic's database, or initialising libgit2, takes milliseconds:
 * once for a workspace is enough, once for a call is too often.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LIBRARIES_H
#define AQFS_LIBRARIES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct libraries {
    pthread_mutex_t magic_lock; /* guards `magic` */
    void *magic;                /* libmagic's handle, loaded at first need (filetype.c) */
    atomic_bool holds_git;      /* libgit2 is initialised once more on our account */
};

void libraries_init(struct libraries *libraries);

/* Keeps libgit2 initialised until libraries_unload. */
void libraries_hold_git(struct libraries *libraries);

/* Gives back what was loaded.  It may be loaded again. */
void libraries_unload(struct libraries *libraries);

void libraries_destroy(struct libraries *libraries);

#endif
