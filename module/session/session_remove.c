/* session_remove.c -- removing the directory of a session, whatever it contains.
 *
 * SPDX-License-Identifier: MIT
 */
#include "session.h"

#include "cleanup.h"
#include "kernel.h"
#include "own_file.h"
#include "path.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>

/* A directory at this depth is moved to the top and emptied in a later round, since each level of
 * recursion takes a descriptor. */
#define DEPTH 64

/* Rounds of emptying the directory.  More than one is needed when another program adds files
 * meanwhile, and one for each DEPTH levels of a deep tree. */
#define ROUNDS 128

struct removal {
    int top; /* the session's directory */
    struct info info;
};

static void empty(const struct removal *r, int dir, int depth);

static int open_named(int dir, const char *name, int flags) {
    return openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC | flags);
}

/* Opens the directory NAME to empty it.  Where its mode forbids that to its owner, the mode is
 * changed first: through a descriptor, because a link might replace the name. */
static int open_to_empty(int dir, const char *name) {
    int fd = open_named(dir, name, 0);
    if (fd >= 0)
        return fd;
    char path[32];
    AUTO(cleanup_close) int named = open_named(dir, name, O_PATH);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", named);
    if (named < 0 || chmod(path, 0700) != 0)
        return -1;
    return open_named(dir, name, 0);
}

/* Describes the open directory, with its mount on every kernel. */
static bool find_mount(int fd, struct info *info) {
    return kernel_stat(fd, info) == 0 && kernel_mount(fd, info, &info->mount) == 0;
}

static bool is_on_own_mount(const struct removal *r, int fd) {
    struct info info;
    return find_mount(fd, &info) && info_shares_mount(&info, &r->info);
}

static void remove_directory(const struct removal *r, int dir, const char *name, int depth) {
    char higher[TEMPORARY_NAME];
    if (depth >= DEPTH && temporary_name(higher) && renameat(dir, name, r->top, higher) == 0)
        return; /* a later round empties it there */
    AUTO(cleanup_close) int fd = open_to_empty(dir, name);
    if (fd < 0 || !is_on_own_mount(r, fd))
        return;
    (void)fchmod(fd, 0700);
    empty(r, fd, depth + 1);
    (void)unlinkat(dir, name, AT_REMOVEDIR);
}

/* Removes the entries of DIR.  It uses descriptors and follows no link, so it cannot reach anything
 * outside the session's directory. */
static void empty(const struct removal *r, int dir, int depth) {
    int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream) {
        cleanup_close(&fd);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (!path_is_dots(entry->d_name) && unlinkat(dir, entry->d_name, 0) != 0)
            remove_directory(r, dir, entry->d_name, depth);
    (void)closedir(stream);
}

void session_remove(int at, const char *name) {
    AUTO(cleanup_close) int top = open_to_empty(at, name);
    struct removal r = {.top = top};
    if (top < 0 || !find_mount(top, &r.info))
        return;
    for (int round = 0; round < ROUNDS; round++) {
        empty(&r, top, 1);
        if (unlinkat(at, name, AT_REMOVEDIR) == 0)
            return;
    }
}

static void sweep_one(int temp, const char *name) {
    AUTO(cleanup_close) int fd = open_named(temp, name, 0);
    struct stat s;
    if (fd >= 0 && fstat(fd, &s) == 0 && s.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
        session_remove(temp, name);
}

void session_sweep(int temp) {
    int fd = openat(temp, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream) {
        cleanup_close(&fd);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (is_session_name(entry->d_name))
            sweep_one(temp, entry->d_name);
    (void)closedir(stream);
}
