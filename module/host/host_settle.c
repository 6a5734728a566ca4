/* host_settle.c -- putting new files on disk.
 *
 * SPDX-License-Identifier: MIT
 */
#include "beneath.h"
#include "cleanup.h"
#include "host.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Starts writing all files first, so that the file system allocates their blocks and its journal
 * commits them once.  Each file is synced by the descriptor that wrote it: the kernel may not
 * report a write error to another one.  A failed fsync is not repeated: the second one would
 * succeed although the data is lost. */
int host_settle(const struct node *const *made, size_t n, struct error *e) {
    for (size_t i = 0; n > 1 && i < n; i++)
        (void)sync_file_range(made[i]->fd, 0, 0, SYNC_FILE_RANGE_WRITE);
    for (size_t i = 0; i < n; i++)
        if (fsync(made[i]->fd) != 0)
            return fail_errno(e, errno, "write to disk");
    return AQFS_OK;
}

/* -- all of a file system --------------------------------------------------------------------- */

/* syncfs waits for everything that the machine has yet to write, so it is not used while that is
 * more than this. */
#define WAITING_MOST_KB 65536

/* The value of NAME in /proc/meminfo, in its unit (kB), or -1. */
static long kilobytes(const char *meminfo, const char *name) {
    const char *line = strstr(meminfo, name);
    return line ? strtol(line + strlen(name), NULL, 10) : -1;
}

static bool read_meminfo(char *text, size_t room) {
    int fd = openat(AT_FDCWD, "/proc/meminfo", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : pread(fd, text, room - 1, 0);
    cleanup_close(&fd);
    text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static bool little_is_waiting(void) {
    char text[2048];
    if (!read_meminfo(text, sizeof text))
        return false;
    long dirty = kilobytes(text, "\nDirty:"), writing = kilobytes(text, "\nWriteback:");
    return dirty >= 0 && writing >= 0 && dirty + writing <= WAITING_MOST_KB;
}

/* Since Linux 5.8 syncfs reports write errors that happened after its descriptor was opened. */
static bool syncfs_tells_of_errors(void) {
    struct utsname kernel;
    if (uname(&kernel) != 0)
        return false;
    char *rest;
    long major = strtol(kernel.release, &rest, 10), minor = *rest ? strtol(rest + 1, NULL, 10) : 0;
    return major > 5 || (major == 5 && minor >= 8);
}

/* EBADF shows that the kernel has syncfs and that no filter (seccomp) refuses it. */
static bool syncfs_is_allowed(void) {
    return syncfs(-1) != 0 && errno == EBADF;
}

/* Only for a directory whose mounts must not be entered, since syncfs covers one file system, and
 * only on file systems where syncfs is known to do all that fsync does. */
bool host_settles_whole(const struct node *dir) {
    return dir->within && dir->within->is_well_known && syncfs_is_allowed() &&
           syncfs_tells_of_errors() && little_is_waiting();
}

/* Before Linux 5.17 syncfs does not report that the file system's journal could not be written;
 * fsync does. */
int host_settle_whole(const struct node *dir, struct error *e) {
    if (syncfs(dir->fd) != 0 || fsync(dir->fd) != 0)
        return fail_errno(e, errno, "write to disk");
    return AQFS_OK;
}
