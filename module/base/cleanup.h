/* cleanup.h -- releasing at the end of a scope, whichever way it is left.
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

/* close is never repeated on EINTR: Linux has closed the descriptor by then. */
static inline void cleanup_close(int *fd) {
    if (*fd >= 0)
        (void)close(*fd);
}

#define AUTO_FREE __attribute__((cleanup(cleanup_free)))
#define AUTO_CLOSE __attribute__((cleanup(cleanup_close)))
#define AUTO(function) __attribute__((cleanup(function)))

/* Takes the descriptor out of a variable that would close it. */
static inline int steal_fd(int *fd) {
    int stolen = *fd;
    *fd = -1;
    return stolen;
}

static inline void *steal_pointer_(void *p) {
    void *stolen = *(void **)p;
    *(void **)p = NULL;
    return stolen;
}
#define steal_pointer(p) ((__typeof__(*(p)))steal_pointer_(p))

#endif
