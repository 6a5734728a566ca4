/* predecessor.c -- the server that a client had before it lost its connection.
 *
 * It may be in the middle of a commit when its client has connected anew.  So a server holds a
 * lock in the name of its client, and opens nothing until it has it: what is asked then of the
 * journal and of what is kept cannot change any more.  The lock ends with the process.
 *
 * A server whose client has gone to sleep, or moved to another network, may wait for hours for a
 * connection that is dead.  Its client is here now, so it is told to end.
 *
 * SPDX-License-Identifier: MIT
 */
#include "connection.h"

#include "cleanup.h"
#include "clock.h"
#include "own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define NS_TO_END_BY_ITSELF INT64_C(1000000000)
#define NS_TO_END INT64_C(20000000000)
#define SECONDS_TO_COME_BACK 86400 /* then the lock of a killed server is removed */

/* The process that LINE of /proc/locks says to hold a lock on the file ST, or 0.  A line looks like
 * "1: FLOCK  ADVISORY  WRITE 1234 fe:01:5678 0 EOF"; of one that waits, the second word is "->". */
static pid_t holder_in_line(char *line, const struct stat *st) {
    char *words[6] = {NULL}, *rest = line;
    for (size_t i = 0; i < 6 && (words[i] = strtok_r(i ? NULL : line, " ", &rest)); i++)
        ;
    if (!words[5] || strcmp(words[1], "FLOCK") != 0)
        return 0;
    char *at = words[5];
    unsigned long numbers[3] = {0};
    for (size_t i = 0; i < 3; i++) {
        numbers[i] = strtoul(at, &at, i < 2 ? 16 : 10);
        if (*at++ != (i < 2 ? ':' : '\0'))
            return 0;
    }
    const dev_t device = makedev((unsigned)numbers[0], (unsigned)numbers[1]);
    return numbers[2] == st->st_ino && device == st->st_dev ? (pid_t)strtol(words[4], NULL, 10) : 0;
}

/* The process that holds the lock on the file FD; 0 where the kernel does not tell. */
static pid_t holder_of(int fd) {
    struct stat st;
    char line[200];
    pid_t holder = 0;
    FILE *locks = fstat(fd, &st) == 0 ? fopen("/proc/locks", "re") : NULL;
    while (locks && !holder && fgets(line, sizeof line, locks))
        holder = holder_in_line(line, &st);
    if (locks)
        (void)fclose(locks);
    return holder;
}

/* Tells the process that holds the lock to end.  It is looked for a second time when its number can
 * be no other process's any more. */
static void end_holder(int fd) {
    pid_t pid = holder_of(fd);
    AUTO_CLOSE int process = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
    if (process >= 0 && holder_of(fd) == pid)
        (void)syscall(SYS_pidfd_send_signal, process, SIGTERM, NULL, 0);
}

static int lock_soon(int fd, const int32_t *cancelled, struct error *e) {
    struct budget budget = {.cancelled = cancelled,
                            .deadline_ns = clock_now_ns() + NS_TO_END_BY_ITSELF};
    int code = lock_wait(fd, &budget, e);
    if (code != AQFS_LIMIT)
        return code;
    end_holder(fd);
    budget.deadline_ns = clock_now_ns() + NS_TO_END;
    return lock_wait(fd, &budget, e);
}

/* Has PATH still the file FD?  A server that ends takes the name away, also from one that waits for
 * the lock. */
static bool is_still_named(int fd, const char *path) {
    struct stat held, named;
    return fstat(fd, &held) == 0 && lstat(path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

static int lock_name(const char *path, const int32_t *cancelled, int *out, struct error *e) {
    for (;;) {
        AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
            return fail(e, AQFS_IO, "The lock %.300s cannot be made: %s", path, strerror(errno));
        int code = lock_soon(fd, cancelled, e);
        if (code)
            return code;
        if (!is_still_named(fd, path))
            continue;
        *out = steal_fd(&fd);
        return AQFS_OK;
    }
}

/* Is NAME one of a client's lock? */
static bool is_lock_name(const char *name) {
    return strspn(name, "0123456789abcdef") == CLIENT_DIGITS &&
           strcmp(name + CLIENT_DIGITS, ".lock") == 0;
}

static bool is_old_lock(int fd, const struct timespec *now) {
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink > 0 &&
           now->tv_sec - st.st_mtime > SECONDS_TO_COME_BACK;
}

/* Has no server held the lock FD for a day?  One that was killed could not remove it.  Once we hold
 * it, it is looked at again: if another sweeper was faster, the name is that of a new lock. */
static bool is_left(int fd, const struct timespec *now) {
    return is_old_lock(fd, now) && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_old_lock(fd, now);
}

/* A server that opens the lock NAME at this moment sees that it has no name any more. */
static void sweep_lock(void *data, int dir, const char *name) {
    if (!is_lock_name(name))
        return;
    AUTO_CLOSE int fd = openat(dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd >= 0 && is_left(fd, data))
        (void)unlinkat(dir, name, 0);
}

static void sweep_locks(const char *directory) {
    struct timespec now;
    AUTO_CLOSE int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && clock_gettime(CLOCK_REALTIME, &now) == 0)
        (void)state_each(fd, sweep_lock, &now);
}

static int lock_for_client(struct connection *c, const int32_t *cancelled, struct error *e) {
    AUTO_FREE char *directory = NULL;
    if (!c->place->state_dir || asprintf(&directory, "%s/serve", c->place->state_dir) < 0)
        return fail(e, AQFS_IO, "There is no directory for state: set HOME or XDG_STATE_HOME");
    (void)state_make_directories(directory); /* if it cannot be made, the lock cannot */
    if (asprintf(&c->lock_path, "%s/%s.lock", directory, c->client) < 0)
        return fail_memory(e);
    int code = lock_name(c->lock_path, cancelled, &c->lock_fd, e);
    if (code == AQFS_OK)
        sweep_locks(directory);
    return code == AQFS_LIMIT ? fail(e, AQFS_IO,
                                     "The server that this client had before does not end: "
                                     "end that process, and try again")
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
    free(c->lock_path);
    c->lock_path = NULL;
}
