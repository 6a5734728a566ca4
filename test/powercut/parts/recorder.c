/* recorder.c -- the calls that the core makes of the disk, seen from below it: see recorder.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "recorder.h"

#include "die.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SECOND INT64_C(1000000000)
#define SLOWER 1000
#define DAY (86400 * SECOND)
#define HOUR (3600 * SECOND)

struct powercut_machine powercut_machine;

static pthread_mutex_t recording = PTHREAD_MUTEX_INITIALIZER;
static struct log *noted;
static int64_t slow_since; /* 0: the machine is not slow */

#define REAL(type, name, parameters)                                                               \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters

int __real_clock_gettime(clockid_t clock, struct timespec *out);
int __real_fstat(int fd, struct stat *out);
int __real_fstatat(int dir, const char *path, struct stat *out, int flags);

void record_into(struct log *log, bool slow) {
    struct timespec now;
    pthread_mutex_lock(&recording);
    noted = log;
    slow_since = 0;
    if (slow && __real_clock_gettime(CLOCK_REALTIME, &now) == 0)
        slow_since = now.tv_sec * SECOND + now.tv_nsec - HOUR / 2;
    pthread_mutex_unlock(&recording);
}

void record_pause(bool paused) {
    static struct log *waiting;
    pthread_mutex_lock(&recording);
    waiting = paused ? noted : waiting;
    noted = paused ? NULL : waiting;
    pthread_mutex_unlock(&recording);
}

void record_answer(void) {
    pthread_mutex_lock(&recording);
    if (noted)
        log_add(noted, &(struct event){.kind = EVENT_ANSWER, .call = "answer"});
    pthread_mutex_unlock(&recording);
}

/* -- what the core is shown ---------------------------------------------------------------------
 */

static int64_t shown_time(int64_t ns) {
    int64_t since = ns - slow_since - HOUR / 2;
    return slow_since && ns > slow_since ? slow_since - DAY + since * SLOWER : ns;
}

static struct stat show(struct stat s) {
    int64_t ns = shown_time(s.st_mtim.tv_sec * SECOND + s.st_mtim.tv_nsec);
    s.st_mtim = (struct timespec){ns / SECOND, ns % SECOND};
    s.st_ino = shown_inode(s.st_ino);
    return s;
}

REAL(int, fstat, (int fd, struct stat *out)) {
    int result = __real_fstat(fd, out);
    *out = result ? *out : show(*out);
    return result;
}

REAL(int, fstatat, (int dir, const char *path, struct stat *out, int flags)) {
    int result = __real_fstatat(dir, path, out, flags);
    *out = result ? *out : show(*out);
    return result;
}

REAL(int, statx, (int dir, const char *path, int flags, unsigned mask, struct statx *out)) {
    int result = __real_statx(dir, path, flags, mask, out);
    if (result)
        return result;
    int64_t ns = shown_time(out->stx_mtime.tv_sec * SECOND + out->stx_mtime.tv_nsec);
    out->stx_mtime.tv_sec = ns / SECOND;
    out->stx_mtime.tv_nsec = (unsigned)(ns % SECOND);
    out->stx_ino = shown_inode(out->stx_ino);
    return 0;
}

REAL(int, clock_gettime, (clockid_t clock, struct timespec *out)) {
    int result = __real_clock_gettime(clock, out);
    if (!result && powercut_machine.started_since && clock == CLOCK_BOOTTIME)
        *out = (struct timespec){0};
    return result;
}

/* -- noting -------------------------------------------------------------------------------------
 */

static char *copied(const void *bytes, size_t n) {
    char *copy = malloc(n + 1);
    if (!copy)
        die("no memory");
    memcpy(copy, bytes, n);
    copy[n] = '\0';
    return copy;
}

static int64_t modified_of(const struct stat *s) {
    return s->st_mtim.tv_sec * SECOND + s->st_mtim.tv_nsec;
}

/* The entry PATH below the directory DIR as it is now. */
static struct naming name_now(int dir, const char *path) {
    struct stat s;
    const char *slash = strrchr(path, '/');
    char *above = slash ? copied(path, (size_t)(slash - path)) : copied(".", 1);
    struct naming out = {.name =
                             copied(slash ? slash + 1 : path, strlen(slash ? slash + 1 : path))};
    if (__wrap_fstatat(dir, *above ? above : "/", &s, 0) == 0) {
        out.directory = s.st_ino;
        out.modified_ns = modified_of(&s);
    }
    if (__wrap_fstatat(dir, path, &s, AT_SYMLINK_NOFOLLOW) == 0)
        out.inode = s.st_ino;
    free(above);
    return out;
}

static bool is_there(int dir, const char *path) {
    struct stat s;
    return __real_fstatat(dir, path, &s, AT_SYMLINK_NOFOLLOW) == 0;
}

/* A name was made or removed. */
static void note_name(const char *call, int dir, const char *path, const char *text) {
    struct stat s;
    struct event event = {.kind = EVENT_NAMES, .call = call, .names_n = 1};
    event.names[0] = name_now(dir, path);
    event.inode = event.names[0].inode;
    if (event.inode && __wrap_fstatat(dir, path, &s, AT_SYMLINK_NOFOLLOW) == 0) {
        event.makes = strcmp(call, "linkat") != 0;
        event.mode = s.st_mode;
        event.owner = s.st_uid;
        event.group = s.st_gid;
        event.modified_ns = modified_of(&s);
    }
    if (text) {
        event.n = strlen(text);
        event.bytes = copied(text, event.n);
    }
    log_add(noted, &event);
}

static void note_rename(const char *call, int a, const char *from, int b, const char *to,
                        bool replaces, bool exchanges) {
    struct event event = {.kind = EVENT_NAMES,
                          .call = call,
                          .names_n = 2,
                          .names = {name_now(a, from), name_now(b, to)},
                          .replaces = replaces,
                          .exchanges = exchanges};
    event.inode = event.names[1].inode;
    log_add(noted, &event);
}

/* EVENT about the file that is open as FD. */
static void note_file(int fd, struct event event) {
    struct stat s;
    if (__wrap_fstat(fd, &s) != 0)
        die_of("fstat");
    event.inode = s.st_ino;
    event.modified_ns = modified_of(&s);
    event.mode = s.st_mode;
    event.owner = s.st_uid;
    event.group = s.st_gid;
    log_add(noted, &event);
}

/* Makes the call, and notes it if it succeeds. */
#define NOTED(type, name, parameters, arguments, note)                                             \
    REAL(type, name, parameters) {                                                                 \
        pthread_mutex_lock(&recording);                                                            \
        type result = __real_##name arguments;                                                     \
        int error = errno;                                                                         \
        if (noted && result >= 0)                                                                  \
            note;                                                                                  \
        pthread_mutex_unlock(&recording);                                                          \
        errno = error;                                                                             \
        return result;                                                                             \
    }

/* -- names --------------------------------------------------------------------------------------
 */

static const char *meminfo_instead(const char *path) {
    if (strcmp(path, "/proc/meminfo") != 0)
        return path;
    return powercut_machine.much_waits ? "meminfo-much" : "meminfo-little"; /* world.c makes them */
}

static mode_t mode_behind(int flags, va_list rest) {
    return (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
}

int __real_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...);
int __wrap_openat(int dir, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_behind(flags, rest);
    va_end(rest);
    pthread_mutex_lock(&recording);
    bool makes = noted && (flags & O_CREAT) && !is_there(dir, path);
    int fd = __real_openat(dir, meminfo_instead(path), flags, mode), error = errno;
    if (makes && fd >= 0)
        note_name("openat", dir, path, NULL);
    pthread_mutex_unlock(&recording);
    errno = error;
    return fd;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = mode_behind(flags, rest);
    va_end(rest);
    return __wrap_openat(AT_FDCWD, path, flags, mode);
}

NOTED(int, mkdir, (const char *path, mode_t mode), (path, mode),
      note_name("mkdir", AT_FDCWD, path, NULL))
NOTED(int, mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode),
      note_name("mkdirat", dir, path, NULL))
NOTED(int, unlink, (const char *path), (path), note_name("unlink", AT_FDCWD, path, NULL))
NOTED(int, unlinkat, (int dir, const char *path, int flags), (dir, path, flags),
      note_name("unlinkat", dir, path, NULL))
NOTED(int, symlinkat, (const char *text, int dir, const char *path), (text, dir, path),
      note_name("symlinkat", dir, path, text))
NOTED(int, linkat, (int a, const char *from, int b, const char *to, int flags),
      (a, from, b, to, flags), note_name("linkat", b, to, NULL))

REAL(int, renameat2, (int a, const char *from, int b, const char *to, unsigned flags)) {
    if (powercut_machine.plain_renames) {
        errno = EINVAL;
        return -1;
    }
    pthread_mutex_lock(&recording);
    int result = __real_renameat2(a, from, b, to, flags), error = errno;
    if (noted && result == 0)
        note_rename("renameat2", a, from, b, to, false, (flags & RENAME_EXCHANGE) != 0);
    pthread_mutex_unlock(&recording);
    errno = error;
    return result;
}

REAL(int, renameat, (int a, const char *from, int b, const char *to)) {
    pthread_mutex_lock(&recording);
    bool replaces = is_there(b, to);
    int result = __real_renameat(a, from, b, to), error = errno;
    if (noted && result == 0)
        note_rename("renameat", a, from, b, to, replaces, false);
    pthread_mutex_unlock(&recording);
    errno = error;
    return result;
}

/* -- files --------------------------------------------------------------------------------------
 */

static void note_write(const char *call, int fd, const void *bytes, ssize_t n, off_t at) {
    note_file(fd, (struct event){.kind = EVENT_WRITE,
                                 .call = call,
                                 .offset = at,
                                 .n = (size_t)n,
                                 .bytes = copied(bytes, (size_t)n)});
}

static off_t behind(int fd) {
    off_t at = lseek(fd, 0, SEEK_CUR);
    if (at < 0)
        die_of("lseek");
    return at;
}

/* A write that appends ends where the file is then. */
static bool is_file(int fd) {
    struct stat s;
    return __real_fstat(fd, &s) == 0 && S_ISREG(s.st_mode);
}

REAL(ssize_t, write, (int fd, const void *bytes, size_t n)) {
    pthread_mutex_lock(&recording);
    ssize_t wrote = __real_write(fd, bytes, n);
    int error = errno;
    if (noted && wrote > 0 && is_file(fd))
        note_write("write", fd, bytes, wrote, behind(fd) - wrote);
    pthread_mutex_unlock(&recording);
    errno = error;
    return wrote;
}

NOTED(ssize_t, pwrite, (int fd, const void *bytes, size_t n, off_t at), (fd, bytes, n, at),
      note_write("pwrite", fd, bytes, result, at))

static void note_copy(int fd, ssize_t n) {
    char *bytes = malloc((size_t)n + 1);
    off_t at = behind(fd) - n;
    if (!bytes || pread(fd, bytes, (size_t)n, at) != n)
        die_of("pread");
    note_write("copy_file_range", fd, bytes, n, at);
    free(bytes);
}

NOTED(ssize_t, copy_file_range, (int a, off_t *from, int b, off_t *to, size_t n, unsigned flags),
      (a, from, b, to, n, flags), if (result > 0) note_copy(b, result))
NOTED(int, ftruncate, (int fd, off_t size), (fd, size),
      note_file(fd, (struct event){.kind = EVENT_SIZE, .call = "ftruncate", .offset = size}))
NOTED(int, fchmod, (int fd, mode_t mode), (fd, mode),
      note_file(fd, (struct event){.kind = EVENT_MODE, .call = "fchmod"}))
NOTED(int, fchown, (int fd, uid_t owner, gid_t group), (fd, owner, group),
      note_file(fd, (struct event){.kind = EVENT_OWNER, .call = "fchown"}))

static void note_mode(const char *path) {
    struct stat s;
    if (__wrap_fstatat(AT_FDCWD, path, &s, 0) == 0)
        log_add(noted, &(struct event){.kind = EVENT_MODE,
                                       .call = "chmod",
                                       .inode = s.st_ino,
                                       .mode = s.st_mode,
                                       .modified_ns = modified_of(&s)});
}

NOTED(int, chmod, (const char *path, mode_t mode), (path, mode), note_mode(path))
NOTED(int, fsetxattr, (int fd, const char *name, const void *value, size_t n, int flags),
      (fd, name, value, n, flags),
      note_file(fd, (struct event){.kind = EVENT_ATTRIBUTE,
                                   .call = "fsetxattr",
                                   .attribute = copied(name, strlen(name)),
                                   .bytes = copied(value, n),
                                   .n = n}))

/* -- syncs --------------------------------------------------------------------------------------
 */

static struct {
    long at, seen;
    bool silent, broken;
} syncs;

void fail_sync(long at, bool silent) {
    syncs.at = at;
    syncs.silent = silent;
    syncs.broken = false;
    syncs.seen = 0;
}

long syncs_seen(void) {
    return syncs.seen;
}

/* The real one would only take time: the disk in question is the one that is modelled. */
static int sync_noted(int fd, const char *call, enum event_kind kind) {
    if (fd < 0) {
        errno = EBADF;
        return -1;
    }
    pthread_mutex_lock(&recording);
    bool fails = noted && ++syncs.seen == syncs.at;
    bool says = fails && !(syncs.silent && kind == EVENT_SYNC_ALL);
    says = says || (syncs.broken && kind == EVENT_SYNC); /* the journal is on another disk */
    syncs.broken = syncs.broken || (fails && !says);
    if (noted)
        note_file(fd, (struct event){.kind = kind, .call = call, .failed = fails || says});
    pthread_mutex_unlock(&recording);
    errno = EIO;
    return says ? -1 : 0;
}

REAL(int, fsync, (int fd)) {
    return sync_noted(fd, "fsync", EVENT_SYNC);
}

REAL(int, fdatasync, (int fd)) {
    return sync_noted(fd, "fdatasync", EVENT_DATA_SYNC);
}

REAL(int, syncfs, (int fd)) {
    return sync_noted(fd, "syncfs", EVENT_SYNC_ALL);
}
