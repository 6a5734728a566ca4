/* leavings.c -- what a runner makes on the disk: see leavings.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leavings.h"

#include "cleanup.h"
#include "clear.h"
#include "clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

#define SHARED_BYTES (1U << 20)
#define MASKS_MOST 4096
#define TRIES 8
#define NS_TO_SWEEP (2 * NS_PER_S)
#define NS_TO_REMOVE (10 * NS_PER_S)

/* In the memory that is shared: the scratch directory, and the names of masks, each with a NUL. */
struct leavings {
    char base[64], scratch[32]; /* the scratch directory is BASE/SCRATCH */
    size_t used;
    char masks[SHARED_BYTES];
};

static struct leavings *shared;
static int mask_locks[MASKS_MOST]; /* of this process; at most one more than there are masks */
static size_t mask_count;
static int scratch_lock = -1;

bool leavings_share(void) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        shared = NULL;
    return shared != NULL;
}

/* -- scratch directories ----------------------------------------------------------------------- */

/* The directory that has those of this user, which nobody else can write; -1 where it cannot be. */
static int open_base(const char *above) {
    struct stat info;
    (void)snprintf(shared->base, sizeof shared->base, "%s/agent-q-fs-%u", above,
                   (unsigned)geteuid());
    if (mkdir(shared->base, 0700) != 0 && errno != EEXIST)
        return -1;
    int fd = open(shared->base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, &info) == 0 && info.st_uid == geteuid() &&
        (info.st_mode & 07777) == 0700 && flock(fd, LOCK_EX) == 0)
        return fd;
    cleanup_close(&fd);
    errno = EEXIST;
    return -1;
}

static int open_locked(int base, const char *name, int operation) {
    int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && flock(fd, operation | LOCK_NB) != 0) {
        cleanup_close(&fd);
        return -1;
    }
    return fd;
}

static void remove_scratch(int base, const char *name, int64_t end_ns) {
    AUTO_CLOSE int fd = open_locked(base, name, LOCK_EX);
    if (fd < 0)
        return;
    clear_directory(fd, end_ns);
    (void)unlinkat(base, name, AT_REMOVEDIR);
}

/* With the base locked, a scratch directory that has no lock is nobody's.  A command waits for it:
 * what is not removed in a while is left to the next one. */
static void sweep_scratch(int base) {
    const int64_t end_ns = clock_now_ns() + NS_TO_SWEEP;
    int listing = openat(base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = listing < 0 ? NULL : fdopendir(listing);
    if (!directory) {
        cleanup_close(&listing);
        return;
    }
    for (struct dirent *entry; (entry = readdir(directory));)
        if (entry->d_name[0] != '.')
            remove_scratch(base, entry->d_name, end_ns);
    (void)closedir(directory);
}

/* Makes a directory of a name that is free.  That of our number may not be: where containers have
 * one /tmp, runners of the same number are alive at the same time. */
static bool make_fresh(int base) {
    for (int tries = 0; tries < TRIES; tries++) {
        (void)snprintf(shared->scratch, sizeof shared->scratch, "%d-%d", (int)getpid(), tries);
        if (mkdirat(base, shared->scratch, 0700) == 0)
            return true;
        if (errno != EEXIST)
            break;
    }
    shared->scratch[0] = '\0'; /* it is not ours to remove */
    return false;
}

static bool make_scratch(int base) {
    if (!make_fresh(base))
        return false;
    scratch_lock = open_locked(base, shared->scratch, LOCK_SH);
    return scratch_lock >= 0 && mkdirat(scratch_lock, "home", 0700) == 0 &&
           mkdirat(scratch_lock, "tmp", 0700) == 0;
}

const char *leavings_scratch(void) {
    static char name[sizeof shared->base + sizeof shared->scratch];
    AUTO_CLOSE int base = open_base("/tmp");
    if (base < 0)
        base = open_base("/var/tmp");
    if (base < 0)
        return NULL;
    sweep_scratch(base);
    if (!make_scratch(base))
        return NULL;
    (void)snprintf(name, sizeof name, "%s/%s", shared->base, shared->scratch);
    return name;
}

/* -- masks ------------------------------------------------------------------------------------- */

static bool is_mask(int fd) {
    struct stat info;
    return fstat(fd, &info) == 0 && (info.st_mode & 07777) == MASK_MODE &&
           info.st_uid == geteuid() && info.st_nlink > 0;
}

/* A descriptor of the mask at PATH with a lock; -1 where there is none. */
static int hold_mask(const char *path) {
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || !is_mask(fd) || flock(fd, LOCK_SH) != 0 || !is_mask(fd))
        return -1; /* another runner may have removed it meanwhile */
    return steal_fd(&fd);
}

static bool note_mask(const char *path) {
    size_t size = strlen(path) + 1;
    errno = ENOSPC;
    if (size > SHARED_BYTES - shared->used || mask_count == MASKS_MOST)
        return false;
    memcpy(shared->masks + shared->used, path, size);
    shared->used += size;
    return true;
}

bool leavings_mask(const char *path) {
    if (!note_mask(path))
        return false;
    for (int tries = 0; tries < TRIES; tries++) {
        bool made = mkdir(path, MASK_MODE) == 0;
        if (!made && errno != EEXIST)
            return errno == ENOENT || errno == ENOTDIR; /* there can be nothing */
        int fd = hold_mask(path);
        if (fd >= 0) {
            mask_locks[mask_count++] = fd;
            return true;
        }
        struct stat info;
        if (lstat(path, &info) == 0 && !made)
            return true; /* somebody has made it just now, and it is theirs */
    }
    errno = EBUSY;
    return false;
}

static void remove_mask(const char *path) {
    AUTO_CLOSE int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && is_mask(fd) && flock(fd, LOCK_EX | LOCK_NB) == 0)
        (void)rmdir(path);
}

void leavings_unmask(void) {
    for (size_t i = 0; i < mask_count; i++)
        (void)close(mask_locks[i]);
    mask_count = 0;
    for (size_t at = 0; at < shared->used; at += strlen(shared->masks + at) + 1)
        remove_mask(shared->masks + at);
    shared->used = 0;
}

void leavings_remove(void) {
    leavings_unmask();
    cleanup_close(&scratch_lock);
    AUTO_CLOSE int base =
        shared->scratch[0] ? open(shared->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    if (base >= 0)
        remove_scratch(base, shared->scratch, clock_now_ns() + NS_TO_REMOVE);
    shared->scratch[0] = '\0';
}
