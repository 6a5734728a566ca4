/* beneath.c -- opening a path below a directory, without following links.
 *
 * SPDX-License-Identifier: MIT
 */
#include "beneath.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

/* A rename anywhere on the machine can make openat2 answer EAGAIN; under attack about one try in
 * a thousand does. */
#define AGAIN_ROUNDS 128

#define NS_PER_S 1000000000

static int64_t nanoseconds(struct statx_timestamp t) {
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

int beneath_stat_at(int directory, const char *name, struct info *out) {
    struct statx s;
    unsigned mask = STATX_BASIC_STATS | STATX_BTIME;
#ifdef STATX_MNT_ID
    mask |= STATX_MNT_ID;
#endif
    int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name ? 0 : AT_EMPTY_PATH);
    while (statx(directory, name ? name : "", flags, mask, &s) != 0)
        if (errno != EINTR)
            return -errno;
    *out = (struct info){
        .type = S_ISREG(s.stx_mode)   ? NODE_FILE
                : S_ISDIR(s.stx_mode) ? NODE_DIRECTORY
                : S_ISLNK(s.stx_mode) ? NODE_SYMLINK
                                      : NODE_OTHER,
        .size = (int64_t)s.stx_size,
        .modified_ns = nanoseconds(s.stx_mtime),
        .accessed_ns = nanoseconds(s.stx_atime),
        .changed_ns = nanoseconds(s.stx_ctime),
        .created_ns = (s.stx_mask & STATX_BTIME) ? nanoseconds(s.stx_btime) : TIME_UNKNOWN,
        .device = makedev(s.stx_dev_major, s.stx_dev_minor),
        .inode = s.stx_ino,
        .mode = s.stx_mode,
        .links = s.stx_nlink,
        .owner = s.stx_uid,
        .group = s.stx_gid,
    };
    out->mount = out->device; /* before Linux 5.8 nothing tells mounts of one device apart */
#ifdef STATX_MNT_ID
    if (s.stx_mask & STATX_MNT_ID)
        out->mount = s.stx_mnt_id;
#endif
    return 0;
}

int beneath_stat(int descriptor, struct info *out) {
    return beneath_stat_at(descriptor, NULL, out);
}

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

#ifdef SYS_openat2
static int openat2_retrying(int dir, const char *path, int flags, uint64_t resolve) {
    struct open_how how = {.flags = (unsigned)(flags | O_NOFOLLOW | O_CLOEXEC), .resolve = resolve};
    for (int round = 0; round < AGAIN_ROUNDS;) {
        long fd = syscall(SYS_openat2, dir, path, &how, sizeof how);
        if (fd >= 0)
            return (int)fd;
        if (errno == EAGAIN)
            round++;
        else if (errno != EINTR)
            return -errno;
    }
    return -EAGAIN;
}

/* Tells a refused system call from a refused path: the seccomp profiles of containers older than
 * openat2 answer EPERM for any path, even for the root itself. */
static bool openat2_is_forbidden(const struct root *root) {
    AUTO(cleanup_close) int fd = openat2_retrying(root->fd, ".", O_PATH, RESOLVE_BENEATH);
    return fd == -EPERM;
}

/* -ENOSYS when openat2 is missing or forbidden, or the fallback was asked for. */
static int open_by_openat2(struct aqfs_workspace *ws, const struct root *root, const char *path,
                           int flags) {
    if (ws->resolver == RESOLVER_FALLBACK || atomic_load(&ws->openat2_missing))
        return -ENOSYS;
    uint64_t resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    if (!beneath_may_cross(ws, root))
        resolve |= RESOLVE_NO_XDEV;
    int fd = openat2_retrying(root->fd, *path ? path : ".", flags, resolve);
    if (fd == -EPERM && openat2_is_forbidden(root))
        fd = -ENOSYS;
    if (fd == -ENOSYS) {
        if (ws->resolver == RESOLVER_OPENAT2)
            return -ENOTSUP;
        atomic_store(&ws->openat2_missing, 1);
    }
    return fd;
}
#else
static int open_by_openat2(struct aqfs_workspace *ws, const struct root *root, const char *path,
                           int flags) {
    (void)root, (void)path, (void)flags;
    return ws->resolver == RESOLVER_OPENAT2 ? -ENOTSUP : -ENOSYS;
}
#endif

/* Returns FD when it is on the root's mount or mounts may be crossed; else closes it and returns
 * -EXDEV. */
static int keep_on_mount(const struct aqfs_workspace *ws, const struct root *root, int fd) {
    struct info info = {0};
    if (fd < 0 || beneath_may_cross(ws, root))
        return fd;
    int error = beneath_stat(fd, &info);
    if (!error && info.mount == root->mount)
        return fd;
    close(fd);
    return error ? error : -EXDEV;
}

/* Each step goes one component down and refuses a link.  There is no `..` in a canonical path, so
 * no step leads out of the root, whatever is renamed meanwhile. */
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
