/* libraries.c -- outside libraries that stay loaded while a workspace is open.
 *
 * SPDX-License-Identifier: MIT
 */
#include "libraries.h"

#include "filetype.h"

#include <git2.h>

void libraries_init(struct libraries *libraries) {
    *libraries = (struct libraries){0};
    pthread_mutex_init(&libraries->magic_lock, NULL);
}

void libraries_hold_git(struct libraries *libraries) {
    if (!atomic_load(&libraries->holds_git) && git_libgit2_init() > 0 &&
        atomic_exchange(&libraries->holds_git, true))
        git_libgit2_shutdown(); /* another thread took the count first */
}

void libraries_unload(struct libraries *libraries) {
    if (atomic_exchange(&libraries->holds_git, false))
        git_libgit2_shutdown();
    filetype_free(libraries->magic);
    libraries->magic = NULL;
}

void libraries_destroy(struct libraries *libraries) {
    libraries_unload(libraries);
    pthread_mutex_destroy(&libraries->magic_lock);
}
