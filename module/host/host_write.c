/* host_write.c -- writing files of this machine: doc/threats.org, "A write, step by step", 2 to 6.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "host.h"
#include "kernel.h"
#include "own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

int host_make_directory(const struct node *dir, const char *name, struct error *e) {
    return mkdirat(dir->fd, name, 0777) == 0 ? AQFS_OK : fail_errno(e, errno, "make directory");
}

static int set_file_mode(int fd, mode_t mode) {
    while (fchmod(fd, mode) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

int host_set_mode(const struct node *dir, const char *name, uint32_t bits, struct error *e) {
    AUTO(cleanup_close) int fd = -1;
    do {
        fd = openat(dir->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    int error = fd < 0 ? errno : set_file_mode(fd, bits);
    return error ? fail_errno(e, error, "set permissions") : AQFS_OK;
}

int host_remove(const struct node *dir, const char *name, bool directory, struct error *e) {
    if (unlinkat(dir->fd, name, directory ? AT_REMOVEDIR : 0) == 0)
        return AQFS_OK;
    if (directory && errno == ENOTEMPTY)
        return fail(e, AQFS_EXISTS, "delete: something was put into the directory");
    return fail_errno(e, errno, "delete");
}

/* -- renaming where the kernel or the file system knows no flags (NFS) --------------------------
 */

static bool is_same_inode(const struct info *a, const struct info *b) {
    return a->inode == b->inode && a->device == b->device;
}

/* rename replaces an empty directory by a directory.  So the new name is taken by an empty
 * directory of ours first, which fails when the name exists. */
static int rename_directory(int from, const char *name, int to, const char *new_name) {
    if (mkdirat(to, new_name, 0700) != 0)
        return errno;
    if (renameat(from, name, to, new_name) == 0)
        return 0;
    int error = errno;
    (void)unlinkat(to, new_name, AT_REMOVEDIR);
    return error == ENOTEMPTY ? EEXIST : error;
}

/* Nobody else knows the temporary name NEW_NAME, so a plain rename replaces nothing there. */
static int rename_to_temporary(int from, const char *name, int to, const char *new_name) {
    struct info info;
    int error = -kernel_stat_at(to, new_name, &info);
    if (error != ENOENT)
        return error ? error : EEXIST;
    return renameat(from, name, to, new_name) == 0 ? 0 : errno;
}

/* The disk must have the name that a file got before it loses another: only a rename is one step.
 */
static int sync_link(int dir) {
    return fsync(dir) == 0 || errno == EINVAL ? 0 : errno;
}

/* link fails where the new name exists, so the file gets it as a second name and then loses the
 * first.  If it cannot, it keeps both: undo_step looks at what others have done with either since.
 * Another program may have taken the first name, or given it to a file of its own, which stays. */
static int rename_by_link(int from, const char *name, int to, const char *new_name) {
    struct info info;
    int error = -kernel_stat_at(from, name, &info);
    if (error)
        return error;
    if (info.type == NODE_DIRECTORY)
        return rename_directory(from, name, to, new_name);
    if (linkat(from, name, to, new_name, 0) != 0)
        return errno == EPERM ? EOPNOTSUPP : errno;
    struct info now;
    error = sync_link(to);
    error = error ? error : -kernel_stat_at(from, name, &now);
    if (!error && is_same_inode(&now, &info) && unlinkat(from, name, 0) != 0)
        error = errno;
    return error == ENOENT ? 0 : error;
}

/* Exchanges the files of NAME, a temporary name, and of TARGET by way of a second temporary name.
 * TARGET exists all the time.  After a crash or an error undo_step recognises the second name. */
static int swap_by_links(int dir, const char *name, const char *target) {
    char second[TEMPORARY_NAME];
    temporary_second(name, second);
    if (linkat(dir, target, dir, second, 0) != 0)
        return errno == EPERM ? EOPNOTSUPP : errno;
    struct info linked, now;
    int error = sync_link(dir);
    error = error ? error : -kernel_stat_at(dir, second, &linked);
    error = error ? error : -kernel_stat_at(dir, target, &now);
    if (!error && !is_same_inode(&now, &linked))
        error = ENOENT;
    /* Just here, a file that another program renames to TARGET would be replaced unseen. */
    if (!error && renameat(dir, name, dir, target) != 0)
        error = errno;
    if (error) {
        (void)unlinkat(dir, second, 0);
        return error;
    }
    return renameat(dir, second, dir, name) == 0 ? 0 : errno;
}

int host_rename(const struct node *from, const char *name, const struct node *to,
                const char *new_name, enum rename_kind kind, struct error *e) {
    int error = kernel_rename(from->fd, name, to->fd, new_name, kind);
    if (error == ENOSYS && kind == RENAME_FRESH && is_temporary_name(new_name))
        error = rename_to_temporary(from->fd, name, to->fd, new_name);
    else if (error == ENOSYS && kind == RENAME_FRESH)
        error = rename_by_link(from->fd, name, to->fd, new_name);
    else if (error == ENOSYS && is_temporary_name(name))
        error = swap_by_links(from->fd, name, new_name);
    if (error == 0)
        return AQFS_OK;
    if (error == EBUSY)
        return fail(e, AQFS_IO, "rename: a file system is mounted there");
    if (error == EXDEV)
        return fail(e, AQFS_IO, "rename: the two places are on different file systems");
    return fail_errno(e, error, "rename");
}

/* Copies by reflink where the file system has them, else inside the kernel, else through a buffer.
 */
static int copy_file_bytes(int fd, const struct node *file) {
    off_t offset = 0;
    ssize_t copied;
    do {
        copied = kernel_copy(file->fd, &offset, fd);
    } while (copied > 0);
    if (copied != -ENOSYS)
        return (int)-copied;
    char block[65536];
    for (;;) {
        ssize_t n = pread(file->fd, block, sizeof block, offset);
        if (n < 0 && errno == EINTR)
            continue;
        int error = n < 0 ? errno : write_whole(fd, block, (size_t)n, WRITE_ON);
        if (n <= 0 || error)
            return error;
        offset += n;
    }
}

/* Attributes that must not be copied to other bytes: privileges, and signatures of the old bytes.
 */
static bool follows(const char *attribute) {
    return strcmp(attribute, "security.capability") != 0 &&
           strcmp(attribute, "security.ima") != 0 && strcmp(attribute, "security.evm") != 0;
}

static bool is_essential(const char *attribute) {
    return strncmp(attribute, "user.", 5) == 0 || strcmp(attribute, "system.posix_acl_access") == 0;
}

static int copy_attribute(int from, int to, const char *name) {
    AUTO_FREE char *value = NULL;
    ssize_t n = fgetxattr(from, name, NULL, 0);
    if (n >= 0)
        value = malloc((size_t)n + 1);
    if (value)
        n = fgetxattr(from, name, value, (size_t)n);
    if (n < 0 || !value)
        return errno;
    return fsetxattr(to, name, value, (size_t)n, 0) == 0 ? 0 : errno;
}

/* Access lists and attributes set by the owner must be copied, or the write fails.  Others, such as
 * the label of a security module, are copied where we are allowed to. */
static int copy_attributes(int from, int to) {
    ssize_t n = flistxattr(from, NULL, 0);
    if (n <= 0)
        return n == 0 || errno == ENOTSUP ? 0 : errno;
    AUTO_FREE char *names = malloc((size_t)n);
    if (!names)
        return ENOMEM;
    n = flistxattr(from, names, (size_t)n);
    for (const char *name = names; n > 0 && name < names + n; name += strlen(name) + 1) {
        int error = follows(name) ? copy_attribute(from, to, name) : 0;
        if (error && is_essential(name))
            return error;
    }
    return n < 0 ? errno : 0;
}

static int set_owner(int fd, const struct info *as) {
    while (fchown(fd, as->owner, as->group) != 0)
        if (errno != EINTR)
            return errno;
    return 0;
}

/* Gives the new file owner, attributes and mode of LIKE.  The owner comes first: changing it clears
 * bits of the mode. */
static int take_after(int fd, const struct node *like, const struct source *source,
                      struct error *e) {
    struct info made;
    int error = -kernel_stat(fd, &made);
    const struct info *old = &like->info;
    if (!error && (made.owner != old->owner || made.group != old->group))
        error = set_owner(fd, old);
    if (error == EPERM)
        return fail(e, AQFS_PERMISSION, "The file's owner could not be kept");
    /* Set-user-ID and set-group-ID bits are dropped: they would give the new bytes the old file's
     * privileges. */
    uint32_t mode = old->mode & 01777;
    if (source->mode == MODE_EXACT)
        mode = source->bits;
    else if (source->mode == MODE_PLAIN)
        mode &= ~0111U;
    else if (source->mode == MODE_EXECUTABLE)
        mode |= (mode & 0444) >> 2;
    error = error ? error : copy_attributes(like->fd, fd);
    error = error ? error : set_file_mode(fd, mode);
    return error ? fail_errno(e, error, "keep permissions") : AQFS_OK;
}

static int fill_staged_file(int fd, const struct node *like, const struct source *source,
                            struct info *made, struct error *e) {
    int error = source->file ? copy_file_bytes(fd, source->file)
                             : write_whole(fd, source->bytes, source->n, WRITE_ON);
    if (error)
        return fail_errno(e, error, "write");
    int code = like ? take_after(fd, like, source, e) : AQFS_OK;
    if (code)
        return code;
    if (!like && source->mode == MODE_EXACT)
        error = set_file_mode(fd, source->bits);
    error = error ? error : -kernel_stat(fd, made);
    return error ? fail_errno(e, error, "write") : AQFS_OK;
}

/* A link needs no `settle`: it is on disk once its directory's names are. */
static int stage_link(const struct node *dir, const char *name, const struct source *source,
                      struct node *made, struct error *e) {
    struct info info;
    if (source->n == 0 || memchr(source->bytes, '\0', source->n))
        return fail(e, AQFS_INVALID_ARGUMENT, "This cannot be the text of a link");
    if (symlinkat(source->bytes, dir->fd, name) != 0)
        return fail_errno(e, errno, "make a temporary link beside it");
    int error = -kernel_stat_at(dir->fd, name, &info);
    if (error) {
        (void)unlinkat(dir->fd, name, 0);
        return fail_errno(e, error, "link");
    }
    *made = (struct node){.backend = &host_backend, .fd = -1, .info = info};
    return AQFS_OK;
}

int host_stage(struct aqfs_workspace *ws, const struct node *dir, const char *name,
               const struct node *like, const struct source *source, struct node *made,
               struct error *e) {
    (void)ws;
    if (source->mode == MODE_LINK)
        return stage_link(dir, name, source, made, e);
    /* A file that will get the mode of another one is private until it has it. */
    mode_t mode = like || source->mode == MODE_EXACT ? 0600
                  : source->mode == MODE_EXECUTABLE  ? 0777
                                                     : 0666;
    int fd;
    do {
        fd = openat(dir->fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return fail_errno(e, errno, "make a temporary file beside it");
    struct info info;
    int code = fill_staged_file(fd, like, source, &info, e);
    if (!code) {
        *made = (struct node){.backend = &host_backend, .fd = fd, .info = info};
        return AQFS_OK;
    }
    (void)close(fd);
    (void)unlinkat(dir->fd, name, 0);
    return code;
}

enum guard_state host_guard(const struct node *file) {
    return kernel_lease(file->fd);
}

bool host_guard_holds(const struct node *file) {
    return kernel_lease_holds(file->fd);
}

/* -- putting it on disk ------------------------------------------------------------------------ */

int host_sync(const struct node *dir, struct error *e) {
    if (fsync(dir->fd) == 0 ||
        errno == EINVAL) /* EINVAL: this file system cannot sync directories */
        return AQFS_OK;
    return fail_durability(e);
}

/* Starts writing all files first, so that the file system allocates their blocks and its journal
 * commits them once.  Each file is synced by the descriptor that wrote it: the kernel may not
 * report a write error to another one.  A failed fsync is not repeated: the second one would
 * succeed although the data is lost. */
int host_settle(const struct node *const *made, size_t n, struct error *e) {
    for (size_t i = 0; n > 1 && i < n; i++)
        kernel_start_writing(made[i]->fd);
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

/* Only for a directory whose mounts must not be entered, since syncfs covers one file system, and
 * only on file systems where syncfs is known to do all that fsync does. */
bool host_settles_whole(const struct node *dir) {
    return dir->within && dir->within->is_well_known && kernel_has_syncfs() && little_is_waiting();
}

/* Before Linux 5.17 syncfs does not report that the file system's journal could not be written;
 * fsync does. */
int host_settle_whole(const struct node *dir, struct error *e) {
    int error = kernel_syncfs(dir->fd);
    if (!error && fsync(dir->fd) != 0)
        error = errno;
    return error ? fail_errno(e, error, "write to disk") : AQFS_OK;
}
