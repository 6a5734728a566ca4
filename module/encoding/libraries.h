/* libraries.h -- outside libraries that stay loaded while a workspace is open.
 *
 * Loading libmagic's database or initialising libgit2 takes milliseconds, which
 * is too long for every call.  So a workspace does each once.
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
    void *magic;                /* libmagic's handle, loaded when it is first needed (filetype.c) */
    atomic_bool holds_git;      /* we hold one count of libgit2's initialisation */
};

void libraries_init(struct libraries *libraries);

/* Keeps libgit2 initialised until libraries_unload. */
void libraries_hold_git(struct libraries *libraries);

/* Releases what was loaded.  It may be loaded again. */
void libraries_unload(struct libraries *libraries);

void libraries_destroy(struct libraries *libraries);

#endif
