/* kernel.c -- the system calls that not every Linux has: see kernel.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "kernel.h"

#include "cleanup.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#if defined(SYS_openat2) && !defined(AQFS_WITHOUT_OPENAT2)
#include <linux/openat2.h>
#define HAS_OPENAT2
#endif

/* ---- Opening below a directory: Linux 5.6 */

#ifdef HAS_OPENAT2

/* A rename anywhere on the machine can make openat2 answer EAGAIN; under attack about one try in
 * a thousand does. */
#define AGAIN_ROUNDS 128

/* A filter answers before the kernel looks at the arguments; the kernel says EINVAL to these. */
static bool openat2_is_forbidden(void) {
    return syscall(SYS_openat2, -1, "", NULL, 0) != 0 && errno == EPERM;
}

int kernel_open_beneath(int dir, const char *path, int flags, bool cross_mounts) {
    struct open_how how = {.flags = (unsigned)(flags | O_NOFOLLOW | O_CLOEXEC),
                           .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
                                      RESOLVE_NO_MAGICLINKS |
                                      (cross_mounts ? 0U : RESOLVE_NO_XDEV)};
    for (int round = 0; round < AGAIN_ROUNDS;) {
        long fd = syscall(SYS_openat2, dir, path, &how, sizeof how);
        if (fd >= 0)
            return (int)fd;
        if (errno == EPERM)
            return openat2_is_forbidden() ? -ENOSYS : -EPERM;
        if (errno == EAGAIN)
            round++;
        else if (errno != EINTR)
            return -errno;
    }
    return -EAGAIN;
}
#else
int kernel_open_beneath(int dir, const char *path, int flags, bool cross_mounts) {
    (void)dir, (void)path, (void)flags, (void)cross_mounts;
    return -ENOSYS;
}
#endif

/* ---- Looking: Linux 4.11 */

static enum node_type type_of_mode(mode_t mode) {
    return S_ISREG(mode)   ? NODE_FILE
           : S_ISDIR(mode) ? NODE_DIRECTORY
           : S_ISLNK(mode) ? NODE_SYMLINK
                           : NODE_OTHER;
}

#if defined(STATX_BASIC_STATS) && !defined(AQFS_WITHOUT_STATX)

#if defined(STATX_MNT_ID) && !defined(AQFS_WITHOUT_MOUNT_ID)
#define MOUNT_ID STATX_MNT_ID /* Linux 5.8 */
#define mount_id(s) ((s)->stx_mnt_id)
#else
#define MOUNT_ID 0U
#define mount_id(s) ((void)(s), (uint64_t)0)
#endif

static int64_t statx_time(struct statx_timestamp t) {
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int look_by_statx(int directory, const char *name, struct info *out) {
    struct statx s;
    int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | (name ? 0 : AT_EMPTY_PATH);
    while (statx(directory, name ? name : "", flags, STATX_BASIC_STATS | STATX_BTIME | MOUNT_ID,
                 &s) != 0)
        if (errno != EINTR)
            return -errno;
    *out = (struct info){
        .type = type_of_mode(s.stx_mode),
        .size = (int64_t)s.stx_size,
        .modified_ns = statx_time(s.stx_mtime),
        .accessed_ns = statx_time(s.stx_atime),
        .changed_ns = statx_time(s.stx_ctime),
        .created_ns = (s.stx_mask & STATX_BTIME) ? statx_time(s.stx_btime) : TIME_UNKNOWN,
        .device = makedev(s.stx_dev_major, s.stx_dev_minor),
        .inode = s.stx_ino,
        .mount = (s.stx_mask & MOUNT_ID) ? mount_id(&s) : 0,
        .mode = s.stx_mode,
        .links = s.stx_nlink,
        .owner = s.stx_uid,
        .group = s.stx_gid,
    };
    return 0;
}
#else
static int look_by_statx(int directory, const char *name, struct info *out) {
    (void)directory, (void)name, (void)out;
    return -ENOSYS;
}
#endif

static int64_t stat_time(struct timespec t) {
    return t.tv_sec * NS_PER_S + t.tv_nsec;
}

static int look_by_fstatat(int directory, const char *name, struct info *out) {
    struct stat s;
    int flags = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT;
    while ((name ? fstatat(directory, name, &s, flags) : fstat(directory, &s)) != 0)
        if (errno != EINTR)
            return -errno;
    *out = (struct info){
        .type = type_of_mode(s.st_mode),
        .size = s.st_size,
        .modified_ns = stat_time(s.st_mtim),
        .accessed_ns = stat_time(s.st_atim),
        .changed_ns = stat_time(s.st_ctim),
        .created_ns = TIME_UNKNOWN,
        .device = s.st_dev,
        .inode = s.st_ino,
        .mode = s.st_mode,
        .links = (uint32_t)s.st_nlink,
        .owner = s.st_uid,
        .group = s.st_gid,
    };
    return 0;
}

/* EPERM needs no second look: fstatat meets it, too, where it is about the file. */
int kernel_stat_at(int directory, const char *name, struct info *out) {
    int error = look_by_statx(directory, name, out);
    return error == -ENOSYS || error == -EPERM ? look_by_fstatat(directory, name, out) : error;
}

int kernel_stat(int descriptor, struct info *out) {
    return kernel_stat_at(descriptor, NULL, out);
}

/* ---- Mounts */

/* What /proc says of DESCRIPTOR, or -errno.  It is only believed where it is the kernel's own. */
static ssize_t read_fdinfo(int descriptor, char *out, size_t size) {
    char path[40];
    struct statfs s;
    (void)snprintf(path, sizeof path, "/proc/self/fdinfo/%d", descriptor);
    AUTO(cleanup_close) int fd = -1;
    do {
        fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return -errno;
    if (fstatfs(fd, &s) != 0 || s.f_type != PROC_SUPER_MAGIC)
        return -ENOENT;
    ssize_t n;
    do {
        n = pread(fd, out, size, 0);
    } while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

/* 0, or -errno; *OUT is 0 where /proc does not tell. */
static int mount_in_proc(int descriptor, uint64_t *out) {
    char text[512];
    *out = 0;
    ssize_t n = read_fdinfo(descriptor, text, sizeof text - 1);
    if (n == -ENOENT || n == -ENOTDIR || n == -EACCES || n == -EPERM)
        return 0;
    if (n < 0)
        return (int)n;
    text[n] = '\0';
    const char *line = strstr(text, "\nmnt_id:");
    if (line)
        *out = strtoull(line + strlen("\nmnt_id:"), NULL, 10);
    return 0;
}

/* So that the number of a file system never equals that of a mount. */
#define FILE_SYSTEM (UINT64_C(1) << 63)

/* The number 0 of statx is not believed: qemu's emulation promises the number and leaves it out. */
int kernel_mount(int descriptor, const struct info *info, uint64_t *out) {
    uint64_t mount = info->mount;
    int error = mount ? 0 : mount_in_proc(descriptor, &mount);
    if (!error)
        *out = mount ? mount : info->device | FILE_SYSTEM;
    return error;
}

/* ---- Listing: Linux 2.4, but not every C library has its number */

long kernel_list(int dir, void *block, size_t n) {
#if defined(SYS_getdents64) && !defined(AQFS_WITHOUT_GETDENTS64)
    long got = syscall(SYS_getdents64, dir, block, n);
    return got < 0 ? -errno : got;
#else
    (void)dir, (void)block, (void)n;
    return -ENOSYS;
#endif
}

/* ---- Renaming without replacing, exchanging: Linux 3.15, but not every file system */

#if defined(RENAME_NOREPLACE) && defined(RENAME_EXCHANGE) && !defined(AQFS_WITHOUT_RENAMEAT2)

static bool renameat2_is_forbidden(void) {
    return renameat2(-1, "", -1, "", RENAME_NOREPLACE) != 0 && errno == EPERM;
}

int kernel_rename(int from, const char *name, int to, const char *new_name, enum rename_kind kind) {
    unsigned flags = kind == RENAME_SWAP ? RENAME_EXCHANGE : RENAME_NOREPLACE;
    if (renameat2(from, name, to, new_name, flags) == 0)
        return 0;
    int error = errno;
    bool missing =
        error == EINVAL || error == EOPNOTSUPP || (error == EPERM && renameat2_is_forbidden());
    return missing ? ENOSYS : error;
}
#else
int kernel_rename(int from, const char *name, int to, const char *new_name, enum rename_kind kind) {
    (void)from, (void)name, (void)to, (void)new_name, (void)kind;
    return ENOSYS;
}
#endif

/* ---- Leases: Linux 2.4, but not every kernel is configured to have them */

#if defined(F_SETLEASE) && !defined(AQFS_WITHOUT_LEASES)

/* Takes a read lease.  The kernel grants it only while no program has the file open for writing,
 * and then makes a program that opens it for writing wait until the lease ends.  The kernel would
 * announce that program by a signal to the file's owner.  Our host program (Emacs, a Lisp) does not
 * expect such a signal, so the file gets no owner, and kernel_lease_holds polls instead.  Taking
 * the lease makes us the owner, and only then the owner can be removed; in between the signal is
 * SIGWINCH. It is ignored by default, and a program that handles it (Emacs) just looks at its
 * window's size. The other signals ignored by default are in use: SBCL interrupts its threads by
 * SIGURG. */
enum guard_state kernel_lease(int file) {
    if (fcntl(file, F_SETSIG, SIGWINCH) != 0)
        return GUARD_NONE; /* the signal would be SIGIO, which ends the process */
    if (fcntl(file, F_SETLEASE, F_RDLCK) != 0)
        return errno == EAGAIN ? GUARD_BUSY : GUARD_NONE;
    (void)fcntl(file, F_SETOWN, 0);
    return GUARD_HELD;
}

bool kernel_lease_holds(int file) {
    return fcntl(file, F_GETLEASE) == F_RDLCK;
}
#else
enum guard_state kernel_lease(int file) {
    (void)file;
    return GUARD_NONE;
}

bool kernel_lease_holds(int file) {
    (void)file;
    return false;
}
#endif

/* ---- Putting a whole file system on disk: Linux 2.6.39 */

#ifndef AQFS_WITHOUT_SYNCFS

/* Since Linux 5.8 syncfs reports write errors that happened after its descriptor was opened. */
static bool syncfs_tells_of_errors(void) {
    struct utsname kernel;
    if (uname(&kernel) != 0)
        return false;
    char *rest;
    long major = strtol(kernel.release, &rest, 10), minor = *rest ? strtol(rest + 1, NULL, 10) : 0;
    return major > 5 || (major == 5 && minor >= 8);
}

/* EBADF shows that the kernel has syncfs and that no filter refuses it. */
bool kernel_has_syncfs(void) {
    return syncfs(-1) != 0 && errno == EBADF && syncfs_tells_of_errors();
}

int kernel_syncfs(int descriptor) {
    return syncfs(descriptor) == 0 ? 0 : errno;
}
#else
bool kernel_has_syncfs(void) {
    return false;
}

int kernel_syncfs(int descriptor) {
    (void)descriptor;
    return ENOSYS;
}
#endif

/* ---- Copying: Linux 4.5 */

/* EPERM needs no second look: a write meets it, too, where it is about the file. */
ssize_t kernel_copy(int from, off_t *offset, int to) {
#ifndef AQFS_WITHOUT_COPY_FILE_RANGE
    ssize_t n;
    do {
        n = copy_file_range(from, offset, to, NULL, 1 << 30, 0);
    } while (n < 0 && errno == EINTR);
    if (n >= 0)
        return n;
    if (errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP && errno != EPERM)
        return -errno;
#else
    (void)from, (void)offset, (void)to;
#endif
    return -ENOSYS;
}

void kernel_start_writing(int file) {
#if defined(SYNC_FILE_RANGE_WRITE) && !defined(AQFS_WITHOUT_SYNC_FILE_RANGE)
    (void)sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
#else
    (void)file;
#endif
}

/* ---- Permissions: Linux 5.8 */

/* access asks for the user who started the process. */
static bool may_by_path(int descriptor, int mode) {
    char path[40];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return getuid() == geteuid() && getgid() == getegid() && access(path, mode) == 0;
}

bool kernel_may(int descriptor, bool write) {
    int mode = write ? W_OK : R_OK;
#ifndef AQFS_WITHOUT_FACCESSAT2
    if (faccessat(descriptor, "", mode, AT_EMPTY_PATH | AT_EACCESS) == 0)
        return true;
    if (errno != EINVAL && errno != ENOSYS && errno != EPERM)
        return false;
#endif
    return may_by_path(descriptor, mode);
}
