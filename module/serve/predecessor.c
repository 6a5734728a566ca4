/* predecessor.c -- the server that a client had before it lost its connection.
 *
 * It may be in the middle of a commit when its client has connected anew.  So a server holds a
 * lock in the name of its client, and opens nothing until it has it: what is asked then of the
 * journal and of what is kept cannot change any more.  The lock ends with the process.
 *
 * SPDX-License-Identifier: MIT
 */
#include "connection.h"

#include "cleanup.h"
#include "own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NS_TO_WAIT INT64_C(20000000000)

/* Has PATH still the file FD?  A server that ends takes the name away, also from one that waits for
 * the lock. */
static bool is_still_named(int fd, const char *path) {
    struct stat held, named;
    return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

static int lock_name(const char *path, struct budget *budget, int *out, struct error *e) {
    for (;;) {
        AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
            return fail(e, AQFS_IO, "The lock %.300s cannot be made: %s", path, strerror(errno));
        int code = lock_wait(fd, budget, e);
        if (code)
            return code;
        if (!is_still_named(fd, path))
            continue;
        *out = steal_fd(&fd);
        return AQFS_OK;
    }
}

static int lock_for_client(struct connection *c, const int32_t *cancelled, struct error *e) {
    AUTO_FREE char *directory = NULL;
    struct budget budget = {.cancelled = cancelled, .deadline_ns = clock_now_ns() + NS_TO_WAIT};
    if (!c->place->state_dir || asprintf(&directory, "%s/serve", c->place->state_dir) < 0)
        return fail(e, AQFS_IO, "There is no directory for state: set HOME or XDG_STATE_HOME");
    (void)state_make_directories(directory); /* if it cannot be made, the lock cannot */
    if (asprintf(&c->lock_path, "%s/%s.lock", directory, c->client) < 0)
        return fail_memory(e);
    int code = lock_name(c->lock_path, &budget, &c->lock_fd, e);
    return code == AQFS_LIMIT ? fail(e, AQFS_IO,
                                     "The server that this client had before is still at work: "
                                     "try again, or end that process")
                              : code;
}

int predecessor_await(struct connection *c, const int32_t *cancelled, struct error *e) {
    int code = AQFS_OK;
    pthread_mutex_lock(&c->client_lock);
    if (c->client[0] && c->lock_fd < 0)
        code = lock_for_client(c, cancelled, e);
    if (code) {
        free(c->lock_path);
        c->lock_path = NULL;
    }
    pthread_mutex_unlock(&c->client_lock);
    return code;
}

void predecessor_leave(struct connection *c) {
    if (c->lock_fd >= 0)
        (void)unlink(c->lock_path);
    cleanup_close(&c->lock_fd);
    c->lock_fd = -1;
    free(c->lock_path);
    c->lock_path = NULL;
}
