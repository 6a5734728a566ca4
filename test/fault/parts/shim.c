/* SPDX-License-Identifier: MIT */
/* shim.c -- the system calls that the core makes, made to fail at will: see shim.h. */
#include "shim.h"

#include "die.h"
#include "select.h"
#include "time_limit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

struct fault fault;
struct machine machine;
void (*fault_between)(void);

static struct {
    dev_t device;
    ino_t inode;
} unsynced[64];
static size_t unsynced_n;

void fault_arm(struct fault what) {
    fault = what;
    fault.armed = true;
    unsynced_n = 0;
    time_limit_begin("%s, call %ld", selected_name(), what.at);
}

/* A commit of many files has threads. */
static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool hit_here; /* the call that this thread is in */

static bool is_hit_now(const char *name) {
    fault.seen++;
    long since = fault.seen - fault.at;
    /* A caller that is interrupted, or told to wait, tries again, and would for ever. */
    bool patient = fault.errnum == EINTR || (fault.errnum == EAGAIN && strcmp(name, "flock") == 0);
    bool again = fault.for_ever && since > 0 && (!patient || since % 2 == 0);
    bool hit = fault.at > 0 && (since == 0 || again);
    if (hit && !fault.name)
        fault.name = name;
    hit_here = since == 0;
    return hit;
}

static bool is_hit(const char *name) {
    pthread_mutex_lock(&fault_lock);
    bool hit = is_hit_now(name);
    pthread_mutex_unlock(&fault_lock);
    return hit;
}

static void end_here(void) {
    (void)kill(getpid(), SIGKILL);
}

/* The one who acts sees the number of the call before which that is. */
static void go_between(const char *name) {
    int error = errno;
    fault.seen++;
    fault.now = name;
    if (!fault.locked && strcmp(name, "flock") == 0)
        fault.locked = fault.seen;
    fault.armed = false;
    fault_between();
    fault.armed = true;
    fault.seen -= fault.effect != EFFECT_BETWEEN; /* is_hit counts it */
    errno = error;
}

/* Before a system call: true when it is to fail, errno set. */
static bool fails(const char *name) {
    if (fault.armed && (fault.effect == EFFECT_BETWEEN || fault.between))
        go_between(name);
    if (!fault.armed || fault.effect == EFFECT_BETWEEN || fault.effect == EFFECT_MEMORY ||
        fault.effect == EFFECT_HALF || fault.effect == EFFECT_KILL_HALF || !is_hit(name))
        return false;
    if (fault.effect == EFFECT_KILL)
        end_here();
    errno = fault.errnum;
    return fault.effect == EFFECT_FAIL;
}

static bool halves(const char *name, size_t n) {
    return fault.armed && (fault.effect == EFFECT_HALF || fault.effect == EFFECT_KILL_HALF) &&
           n > 1 && is_hit(name);
}

bool memory_fails(const char *name) {
    if (!fault.armed || fault.effect != EFFECT_MEMORY || !is_hit(name))
        return false;
    errno = ENOMEM;
    return true;
}

/* Behind a system call. */
static void done(void) {
    if (fault.armed && hit_here &&
        (fault.effect == EFFECT_KILL_AFTER || fault.effect == EFFECT_KILL_HALF))
        end_here();
}

/* A call of TYPE with PARAMETERS, which are ARGUMENTS. */
#define WRAP(type, name, parameters, arguments, failed)                                            \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters {                                                                \
        if (fails(#name))                                                                          \
            return failed;                                                                         \
        type result = __real_##name arguments;                                                     \
        done();                                                                                    \
        return result;                                                                             \
    }

/* The same where a mode may follow the flags. */
#define WRAP_OPEN(name, parameters, arguments)                                                     \
    int __real_##name(parameters int flags, ...);                                                  \
    int __wrap_##name(parameters int flags, ...);                                                  \
    int __wrap_##name(parameters int flags, ...) {                                                 \
        va_list rest;                                                                              \
        va_start(rest, flags);                                                                     \
        mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;                                \
        va_end(rest);                                                                              \
        if (fails(#name))                                                                          \
            return -1;                                                                             \
        int fd = __real_##name(arguments flags, mode);                                             \
        done();                                                                                    \
        return fd;                                                                                 \
    }

static const char *instead_of(const char *path) {
    if (strcmp(path, "/proc/meminfo") != 0)
        return path;
    return machine.much_waits ? "meminfo-much" : "meminfo-little"; /* world.c makes them */
}

#define COMMA ,
WRAP_OPEN(openat, int dir COMMA const char *path COMMA, dir COMMA instead_of(path) COMMA)
WRAP_OPEN(open, const char *path COMMA, path COMMA)
WRAP(int, __openat_2, (int dir, const char *path, int flags), (dir, path, flags), -1)
WRAP(int, __open_2, (const char *path, int flags), (path, flags), -1)
int __real_statx(int dir, const char *path, int flags, unsigned mask, struct statx *out);
int __wrap_statx(int dir, const char *path, int flags, unsigned mask, struct statx *out);
int __wrap_statx(int dir, const char *path, int flags, unsigned mask, struct statx *out) {
    if (fails("statx"))
        return -1;
    int result = machine.no_statx ? -1 : __real_statx(dir, path, flags, mask, out);
    if (machine.no_statx)
        errno = ENOSYS;
    done();
    return result;
}

WRAP(int, fstat, (int fd, struct stat *out), (fd, out), -1)
WRAP(int, stat, (const char *path, struct stat *out), (path, out), -1)
WRAP(int, lstat, (const char *path, struct stat *out), (path, out), -1)
WRAP(ssize_t, readlinkat, (int dir, const char *path, char *out, size_t n), (dir, path, out, n), -1)
WRAP(int, faccessat, (int dir, const char *path, int mode, int flags), (dir, path, mode, flags), -1)
WRAP(int, fstatat, (int dir, const char *path, struct stat *out, int flags),
     (dir, path, out, flags), -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
WRAP(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode), -1)
WRAP(int, unlink, (const char *path), (path), -1)
WRAP(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags), -1)
WRAP(int, access, (const char *path, int mode), (path, mode), -1)
WRAP(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to), -1)
WRAP(int, symlinkat, (const char *text, int dir, const char *path), (text, dir, path), -1)
WRAP(int, linkat, (int a, const char *from, int b, const char *to, int flags),
     (a, from, b, to, flags), -1)

int __real_renameat2(int a, const char *from, int b, const char *to, unsigned flags);
int __wrap_renameat2(int a, const char *from, int b, const char *to, unsigned flags);
int __wrap_renameat2(int a, const char *from, int b, const char *to, unsigned flags) {
    if (fails("renameat2"))
        return -1;
    int result = machine.plain_renames ? -1 : __real_renameat2(a, from, b, to, flags);
    if (machine.plain_renames)
        errno = EINVAL;
    done();
    return result;
}

WRAP(int, ftruncate, (int fd, off_t size), (fd, size), -1)
WRAP(off_t, lseek, (int fd, off_t at, int from), (fd, at, from), -1)
WRAP(int, flock, (int fd, int how), (fd, how), -1)
WRAP(int, fchown, (int fd, uid_t owner, gid_t group), (fd, owner, group), -1)
WRAP(int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
WRAP(ssize_t, fgetxattr, (int fd, const char *name, void *out, size_t n), (fd, name, out, n), -1)
WRAP(ssize_t, flistxattr, (int fd, char *out, size_t n), (fd, out, n), -1)
WRAP(int, fsetxattr, (int fd, const char *name, const void *value, size_t n, int flags),
     (fd, name, value, n, flags), -1)

/* Transfers can also be short. */
#define WRAP_TRANSFER(name, parameters, whole, half)                                               \
    ssize_t __real_##name parameters;                                                              \
    ssize_t __wrap_##name parameters;                                                              \
    ssize_t __wrap_##name parameters {                                                             \
        if (fails(#name))                                                                          \
            return -1;                                                                             \
        ssize_t result = halves(#name, n) ? __real_##name half : __real_##name whole;              \
        done();                                                                                    \
        return result;                                                                             \
    }

WRAP_TRANSFER(write, (int fd, const void *bytes, size_t n), (fd, bytes, n), (fd, bytes, n / 2))
WRAP_TRANSFER(pwrite, (int fd, const void *bytes, size_t n, off_t at), (fd, bytes, n, at),
              (fd, bytes, n / 2, at))
WRAP_TRANSFER(pread, (int fd, void *out, size_t n, off_t at), (fd, out, n, at),
              (fd, out, n / 2, at))

ssize_t __real_getrandom(void *out, size_t n, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t n, unsigned flags);
ssize_t __wrap_getrandom(void *out, size_t n, unsigned flags) {
    if (fails("getrandom"))
        return -1;
    ssize_t result = __real_getrandom(out, halves("getrandom", n) ? n / 2 : n, flags);
    if (machine.same_random)
        memset(out, 0x11, n);
    done();
    return result;
}

/* The core asks for as much as there is: half of that is 5 bytes. */
WRAP_TRANSFER(copy_file_range, (int a, off_t *from, int b, off_t *to, size_t n, unsigned flags),
              (a, from, b, to, n, flags), (a, from, b, to, n < 5 ? n : 5, flags))

long __real_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f);
long __wrap_syscall(long number, long a, long b, long c, long d, long e, long f) {
    if (fails(number == SYS_openat2      ? "openat2"
              : number == SYS_getdents64 ? "getdents64"
                                         : "syscall"))
        return -1;
    long result = __real_syscall(number, a, b, c, d, e, f);
    done();
    return result;
}

int __real_fcntl(int fd, int what, long argument);
int __wrap_fcntl(int fd, int what, long argument);
int __wrap_fcntl(int fd, int what, long argument) {
    if (fails("fcntl"))
        return -1;
    bool refused = machine.no_leases && what == F_SETLEASE;
    int result = refused ? -1 : __real_fcntl(fd, what, argument);
    if (refused)
        errno = EINVAL;
    done();
    return result;
}

/* No program that our host starts in the meantime may have the descriptor. */
static void check_inheritance(int fd) {
    int error = errno, flags = __real_fcntl(fd, F_GETFD, 0);
    errno = error;
    if (flags == -1 || (flags & FD_CLOEXEC))
        return;
    char link[40], name[256] = "";
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    (void)!readlink(link, name, sizeof name - 1);
    die("the descriptor of %s would be inherited", name);
}

/* The descriptor is gone, whatever close answers. */
int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
    check_inheritance(fd);
    bool broken = fails("close");
    int error = errno, result = __real_close(fd);
    done();
    errno = broken ? error : errno;
    return broken ? -1 : result;
}

/* The stream owns the descriptor, and closedir closes it unseen. */
DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd) {
    check_inheritance(fd);
    if (fails("fdopendir"))
        return NULL;
    DIR *result = __real_fdopendir(fd);
    done();
    return result;
}

/* A failed fsync must not be repeated: the second one succeeds and means nothing.  But that of a
 * directory may be followed by one for what was renamed there since, to undo it. */
static bool sync_fails(int fd, const char *name) {
    struct stat s = {0};
    bool known = fault.armed && __real_fstat(fd, &s) == 0;
    pthread_mutex_lock(&fault_lock);
    for (size_t i = 0; known && i < unsynced_n; i++)
        if (unsynced[i].device == s.st_dev && unsynced[i].inode == s.st_ino)
            fault.synced_again = true;
    fault.synced = fd;
    pthread_mutex_unlock(&fault_lock);
    if (!fails(name))
        return false;
    pthread_mutex_lock(&fault_lock);
    struct stat journals;
    if (fault.name == name)
        fault.on_directory = S_ISDIR(s.st_mode) && (__real_stat("state/journal", &journals) != 0 ||
                                                    s.st_ino != journals.st_ino);
    if (known && !S_ISDIR(s.st_mode) && unsynced_n < sizeof unsynced / sizeof *unsynced) {
        unsynced[unsynced_n].device = s.st_dev;
        unsynced[unsynced_n++].inode = s.st_ino;
    }
    pthread_mutex_unlock(&fault_lock);
    return true;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
    static const char name[] = "fsync";
    if (sync_fails(fd, name))
        return -1;
    int result = __real_fsync(fd);
    done();
    return result;
}

WRAP(int, syncfs, (int fd), (fd), -1)

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd) {
    static const char name[] = "fdatasync";
    if (sync_fails(fd, name))
        return -1;
    int result = __real_fdatasync(fd);
    done();
    return result;
}
