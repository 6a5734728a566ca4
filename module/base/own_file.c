/* own_file.c -- files of our own: see own_file.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "own_file.h"

#include "cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* -- names ------------------------------------------------------------------------------------- */

#define DIGITS 32
#define SHARED (6 + 16) /* ".aqfs-" and half of the digits */

bool temporary_name(char out[TEMPORARY_NAME]) {
    unsigned char random[DIGITS / 2];
    ssize_t got;
    do {
        got = getrandom(random, sizeof random, 0);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)sizeof random)
        return false;
    char *digit = mempcpy(out, ".aqfs-", 6);
    for (size_t i = 0; i < sizeof random; i++) {
        *digit++ = "0123456789abcdef"[random[i] >> 4];
        *digit++ = "0123456789abcdef"[random[i] & 15];
    }
    memcpy(digit, ".tmp", sizeof ".tmp");
    return true;
}

bool is_temporary_name(const char *name) {
    return strncmp(name, ".aqfs-", 6) == 0 && strspn(name + 6, "0123456789abcdef") == DIGITS &&
           strcmp(name + 6 + DIGITS, ".tmp") == 0;
}

void temporary_second(const char *name, char out[TEMPORARY_NAME]) {
    snprintf(out, TEMPORARY_NAME, "%.*s.old", 6 + DIGITS, name);
}

void temporary_kept(const char *name, char out[TEMPORARY_NAME]) {
    snprintf(out, TEMPORARY_NAME, "%.*s.bak", 6 + DIGITS, name);
}

void temporary_share(char name[TEMPORARY_NAME], const char *owner) {
    memcpy(name, owner, SHARED);
}

bool temporary_is_shared(const char *name, const char *owner) {
    size_t n = strlen(name);
    return strncmp(name, owner, SHARED) == 0 && n == TEMPORARY_NAME - 1 &&
           strspn(name + 6, "0123456789abcdef") == DIGITS &&
           (strcmp(name + 6 + DIGITS, ".tmp") == 0 || strcmp(name + 6 + DIGITS, ".old") == 0);
}

/* -- writing ----------------------------------------------------------------------------------- */

int write_whole(int fd, const char *bytes, size_t n, int64_t offset) {
    while (n > 0) {
        ssize_t wrote = offset < 0 ? write(fd, bytes, n) : pwrite(fd, bytes, n, offset);
        if (wrote < 0 && errno != EINTR)
            return errno;
        if (wrote == 0)
            return EIO;
        if (wrote > 0) {
            bytes += wrote;
            n -= (size_t)wrote;
            offset += offset < 0 ? 0 : wrote;
        }
    }
    return 0;
}

/* -- locks ------------------------------------------------------------------------------------- */

#define WAIT_LEAST_NS 50000
#define WAIT_MOST_NS 5000000

static void wait_a_little(long *ns) {
    struct timespec time = {.tv_nsec = *ns};
    (void)nanosleep(&time, NULL);
    *ns = *ns * 2 < WAIT_MOST_NS ? *ns * 2 : WAIT_MOST_NS;
}

/* flock has no deadline and cannot be cancelled, so this polls, with pauses that double. */
int lock_wait(int fd, struct budget *budget, struct error *e) {
    long wait = WAIT_LEAST_NS;
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        int error = errno, code = budget_check(budget);
        if (code)
            return fail_budget(e, code);
        if (error == EWOULDBLOCK)
            wait_a_little(&wait);
        else if (error != EINTR)
            return fail_errno(e, error, "state directory");
    }
    return AQFS_OK;
}

/* -- small files in the state directory -------------------------------------------------------- */

#define BLOCK ((size_t)65536)

/* Has the disk take the names in the directory that PATH is in. */
static int sync_above(const char *path) {
    const char *slash = strrchr(path, '/');
    AUTO_FREE char *above =
        !slash ? strdup(".") : strndup(path, slash > path ? (size_t)(slash - path) : 1);
    AUTO(cleanup_close) int dir = -1;
    if (!above)
        return ENOMEM;
    do {
        dir = open(above, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    } while (dir < 0 && errno == EINTR);
    if (dir < 0)
        return errno == EACCES ? 0 : errno; /* who may not read it cannot sync it */
    return fsync(dir) == 0 || errno == EINVAL ? 0 : errno;
}

/* Another thread of the host may have set a umask that denies us our own directory.  chmod does not
 * heed the umask.  A directory that the disk may not have is taken away again, so that the next
 * attempt does not take it for one that it has. */
static int make_private(const char *path) {
    if (mkdir(path, 0700) != 0)
        return 0;
    (void)chmod(path, 0700);
    int error = sync_above(path);
    if (error)
        (void)unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
    return error;
}

int state_make_directories(const char *path) {
    AUTO_FREE char *copy = strdup(path);
    int error = copy ? 0 : ENOMEM;
    for (char *slash = copy; !error && (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        error = make_private(copy);
    }
    return error ? error : make_private(path);
}

static int make(int dir, const char *name, const char *bytes, size_t n, bool lasting) {
    AUTO(cleanup_close) int fd = -1;
    do {
        fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return errno;
    int error = write_whole(fd, bytes, n, 0);
    if (!error && lasting && fsync(fd) != 0)
        error = errno;
    if (error)
        (void)unlinkat(dir, name, 0);
    return error;
}

int state_make(int dir, const char *name, const char *bytes, size_t n, struct error *e) {
    int error = make(dir, name, bytes, n, true);
    return error ? fail_errno(e, error, "state directory") : AQFS_OK;
}

int state_replace(int dir, const char *name, const char *bytes, size_t n, bool lasting,
                  struct error *e) {
    char temp[TEMPORARY_NAME];
    if (!temporary_name(temp))
        return fail(e, AQFS_IO, "No random name could be made: getrandom failed");
    int error = make(dir, temp, bytes, n, lasting);
    if (!error && renameat(dir, temp, dir, name) != 0) {
        error = errno;
        (void)unlinkat(dir, temp, 0);
    }
    if (!error && lasting && fsync(dir) != 0 && errno != EINVAL)
        error = errno;
    return error ? fail_errno(e, error, "state directory") : AQFS_OK;
}

bool state_has(int dir, const char *name) {
    struct stat s;
    return fstatat(dir, name, &s, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Does not trust the size that fstat gave: another process may write to the file meanwhile. */
static int read_state_bytes(int fd, size_t most, struct buf *out, struct error *e) {
    while (buf_reserve(out, BLOCK)) {
        ssize_t n = read(fd, out->data + out->len, BLOCK);
        if (n == 0)
            return AQFS_OK;
        if (n < 0 && errno != EINTR)
            return fail_errno(e, errno, "state directory");
        if (n > 0)
            out->len += (size_t)n;
        out->data[out->len] = '\0';
        if (out->len > most)
            return fail(e, AQFS_TOO_LARGE, "A file of the state directory is too large");
    }
    return fail_memory(e);
}

int state_read(int dir, const char *name, size_t most, struct buf *out, struct error *e) {
    struct stat s;
    AUTO(cleanup_close) int fd = -1;
    do {
        fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0 || fstat(fd, &s) != 0)
        return fail_errno(e, errno, "state directory");
    if (!S_ISREG(s.st_mode))
        return fail(e, AQFS_NOT_REGULAR, "A name in the state directory is not a regular file");
    return read_state_bytes(fd, most, out, e);
}

static const struct dirent *next_entry(DIR *stream) {
    errno = 0;
    return readdir(stream);
}

int state_each(int dir, void (*each)(void *data, int dir, const char *name), void *data) {
    int listed = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = listed < 0 ? NULL : fdopendir(listed);
    if (!stream) {
        int error = errno;
        cleanup_close(&listed);
        return error;
    }
    for (const struct dirent *entry; (entry = next_entry(stream)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            each(data, dir, entry->d_name);
    int error = errno;
    closedir(stream);
    return error;
}

static void remove_temporary_state(void *data, int dir, const char *name) {
    (void)data;
    if (is_temporary_name(name))
        (void)unlinkat(dir, name, 0);
}

void state_sweep(int dir) {
    (void)state_each(dir, remove_temporary_state, NULL);
}
