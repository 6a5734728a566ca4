/* beneath.c -- opening a path below a directory, without following links.
 *
 * SPDX-License-Identifier: MIT
 */
#include "beneath.h"

#include "cleanup.h"
#include "kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

bool beneath_may_cross(const struct aqfs_workspace *ws, const struct root *root) {
    return ws->cross_mounts || root->cross_mounts;
}

/* These file systems are known to have both properties.  On others a short read need not mean the
 * end of the file: proc, FUSE and 9p return less for reasons of their own. */
bool beneath_is_well_known(int descriptor) {
    struct statfs s;
    if (fstatfs(descriptor, &s) != 0)
        return false;
    return s.f_type == EXT4_SUPER_MAGIC || s.f_type == XFS_SUPER_MAGIC ||
           s.f_type == BTRFS_SUPER_MAGIC || s.f_type == TMPFS_MAGIC;
}

bool beneath_is_on_proc(int descriptor) {
    struct statfs s;
    return fstatfs(descriptor, &s) != 0 || s.f_type == PROC_SUPER_MAGIC;
}

static int open_retrying(int dir, const char *name, int flags) {
    int fd;
    do {
        fd = openat(dir, name, flags | O_NOFOLLOW | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : fd;
}

/* -ENOSYS when openat2 is missing or forbidden, or the fallback was asked for. */
static int open_by_openat2(struct aqfs_workspace *ws, const struct root *root, const char *path,
                           int flags) {
    if (ws->resolver == RESOLVER_FALLBACK || atomic_load(&ws->openat2_missing))
        return -ENOSYS;
    int fd = kernel_open_beneath(root->fd, *path ? path : ".", flags, beneath_may_cross(ws, root));
    if (fd == -ENOSYS) {
        if (ws->resolver == RESOLVER_OPENAT2)
            return -ENOTSUP;
        atomic_store(&ws->openat2_missing, 1);
    }
    return fd;
}

/* Returns FD when it is on the root's mount or mounts may be crossed; else closes it and returns
 * -EXDEV. */
static int keep_on_mount(const struct aqfs_workspace *ws, const struct root *root, int fd) {
    struct info info = {0};
    uint64_t mount = 0;
    if (fd < 0 || beneath_may_cross(ws, root))
        return fd;
    int error = kernel_stat(fd, &info);
    error = error ? error : kernel_mount(fd, &info, &mount);
    if (!error && mount == root->mount)
        return fd;
    close(fd);
    return error ? error : -EXDEV;
}

/* Each step goes one component down and refuses a link, and `..`, as openat2 does: a canonical path
 * has none, but a journal that somebody forged may.  So no step leads out of the root, whatever is
 * renamed meanwhile. */
static int open_by_steps(const struct aqfs_workspace *ws, const struct root *root, const char *path,
                         int flags) {
    AUTO(cleanup_close) int dir = -1;
    const char *name = path;
    for (;;) {
        size_t n = strcspn(name, "/");
        bool last = name[n] == '\0';
        char component[NAME_BYTES_MAX + 1];
        if (n > NAME_BYTES_MAX)
            return -ENAMETOOLONG;
        memcpy(component, name, n);
        component[n] = '\0';
        if (strcmp(component, "..") == 0)
            return -EXDEV;
        int at = dir >= 0 ? dir : root->fd;
        int fd = open_retrying(at, n ? component : ".", last ? flags : O_PATH | O_DIRECTORY);
        fd = keep_on_mount(ws, root, fd);
        if (last || fd < 0)
            return fd;
        cleanup_close(&dir);
        dir = fd;
        name += n + 1;
    }
}

int beneath_open(struct aqfs_workspace *ws, const struct root *root, const char *path, int flags) {
    int fd = open_by_openat2(ws, root, path, flags);
    return fd == -ENOSYS ? open_by_steps(ws, root, path, flags) : fd;
}
