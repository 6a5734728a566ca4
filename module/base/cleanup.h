/* cleanup.h -- release a resource when its scope is left, by whatever path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CLEANUP_H
#define AQFS_CLEANUP_H

#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_free(void *p) {
    free(*(void **)p);
}

/* Never repeat close after EINTR: Linux has closed the descriptor by then.  The variable forgets
 * it: closed twice, the number could be another thread's by then. */
static inline void cleanup_close(int *fd) {
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

#define AUTO_FREE __attribute__((cleanup(cleanup_free)))
#define AUTO_CLOSE __attribute__((cleanup(cleanup_close)))
#define AUTO(function) __attribute__((cleanup(function)))

/* Takes the descriptor over from an AUTO_CLOSE variable, which then closes nothing. */
static inline int steal_fd(int *fd) {
    int stolen = *fd;
    *fd = -1;
    return stolen;
}

/* Takes the memory over from an AUTO_FREE variable, which then frees nothing. */
static inline void *steal_pointer_(void *p) {
    void *stolen = *(void **)p;
    *(void **)p = NULL;
    return stolen;
}
#define steal_pointer(p) ((__typeof__(*(p)))steal_pointer_(p))

#endif
