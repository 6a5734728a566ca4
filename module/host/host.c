/* host.c -- the backend whose bytes are files of this machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include "host.h"

#include "beneath.h"
#include "cleanup.h"
#include "hidden.h"
#include "kernel.h"
#include "path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdalign.h>
#include <string.h>
#include <unistd.h>

/* Opening a FIFO must not block, and a terminal must not become our controlling terminal. */
#define READ_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY)

/* Smallest unit of a disk that can fail to read. */
#define SECTOR 512

static const int open_flags[] = {
    [OPEN_FILE] = READ_FLAGS,
    [OPEN_UNSEEN] = READ_FLAGS,
    [OPEN_DIRECTORY] = O_RDONLY | O_DIRECTORY,
    [OPEN_ANY] = O_PATH,
};

static int fail_not_regular(enum node_type type, struct error *e) {
    if (type == NODE_DIRECTORY)
        return fail_path(e, AQFS_IS_DIRECTORY, FAULT_BY_CODE, "It is a directory");
    return fail_path(e, AQFS_NOT_REGULAR, FAULT_BY_CODE, "It is not a regular file");
}

static int fail_open(int errnum, struct error *e) {
    if (errnum == EXDEV)
        return fail_path(e, AQFS_OUTSIDE_ROOT, FAULT_MOUNT,
                         "It is on another file system, mounted inside the project root");
    if (errnum == ELOOP || errnum == EAGAIN || errnum == ENOTDIR)
        return fail_path(e, AQFS_RACED, FAULT_BY_CODE, "It changed while it was opened");
    if (errnum == ENXIO || errnum == ENODEV)
        return fail_not_regular(NODE_OTHER, e);
    return fail_path_errno(e, errnum, "open");
}

int host_open(struct aqfs_workspace *ws, const struct root *root, const char *path,
              enum open_kind kind, struct node *out, struct error *e) {
    AUTO(cleanup_close) int fd = beneath_open(ws, root, path, open_flags[kind]);
    if (fd < 0)
        return fail_open(-fd, e);
    struct info info = {.type = NODE_DIRECTORY}; /* O_DIRECTORY opens nothing else */
    int error = kind == OPEN_DIRECTORY ? 0 : kernel_stat(fd, &info);
    if (error)
        return fail_open(-error, e);
    if (kind == OPEN_FILE && info.type != NODE_FILE)
        return fail_not_regular(info.type, e);
    int code = hidden_refuse_open(ws->hidden, fd, e);
    if (code)
        return code;
    *out = (struct node){.backend = &host_backend,
                         .hidden = ws->hidden,
                         .fd = steal_fd(&fd),
                         .within = beneath_may_cross(ws, root) ? NULL : root,
                         .info = info};
    return AQFS_OK;
}

/* By `..`, so that the answer is about the directories above the one that is open, whatever has
 * their names meanwhile. */
bool host_has_above(const struct node *dir, size_t up, const char *name) {
    static const char dots[] = "../";
    const size_t n = sizeof dots - 1;
    char path[PATH_BYTES_MAX + 1];
    struct info ignored;
    if (up * n + strlen(name) >= sizeof path)
        return true;
    for (size_t i = 0; i < up; i++)
        memcpy(path + i * n, dots, n);
    memcpy(path + up * n, name, strlen(name) + 1);
    int error = kernel_stat_at(dir->fd, path, &ignored);
    return error != -ENOENT && error != -ENOTDIR;
}

/* The info of OPEN_UNSEEN: nothing is known beyond the type that the directory listed.  A search
 * opens every file of a tree this way, and a stat of each would take a tenth of its time, mostly
 * for files without a match. */
static const struct info unseen = {.type = NODE_UNKNOWN, .size = SIZE_UNKNOWN};

/* A file system may have been mounted on the name since its directory was opened, or on a file's
 * name, which openat does not refuse. */
static int check_mount(const struct root *within, int fd, const struct info *info,
                       struct error *e) {
    uint64_t mount = 0;
    int error = within ? -kernel_mount(fd, info, &mount) : 0;
    if (!error && within && mount != within->mount)
        error = EXDEV;
    return error ? fail_open(error, e) : AQFS_OK;
}

int host_open_below(const struct node *dir, const char *name, enum open_kind kind, struct node *out,
                    struct error *e) {
    AUTO(cleanup_close) int fd = -1;
    do {
        fd = openat(dir->fd, name, open_flags[kind] | O_NOFOLLOW | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return fail_open(errno, e);
    struct info info = unseen;
    if (kind != OPEN_UNSEEN) {
        int error = -kernel_stat(fd, &info);
        if (error)
            return fail_open(error, e);
        if (kind == OPEN_FILE && info.type != NODE_FILE)
            return fail_not_regular(info.type, e);
        int code = check_mount(dir->within, fd, &info, e);
        if (code)
            return code;
    }
    int code = hidden_refuse_open(dir->hidden, fd, e);
    if (code)
        return code;
    *out = (struct node){.backend = &host_backend,
                         .hidden = dir->hidden,
                         .fd = steal_fd(&fd),
                         .within = dir->within,
                         .info = info};
    return AQFS_OK;
}

static enum node_type type_of_entry(unsigned char d_type) {
    switch (d_type) {
    case DT_REG:
        return NODE_FILE;
    case DT_DIR:
        return NODE_DIRECTORY;
    case DT_LNK:
        return NODE_SYMLINK;
    case DT_UNKNOWN:
        return NODE_UNKNOWN;
    default:
        return NODE_OTHER;
    }
}

/* Some file systems list names without their types. */
static enum node_type type_by_stat(int dir, const char *name) {
    struct info info;
    return kernel_stat_at(dir, name, &info) ? NODE_UNKNOWN : info.type;
}

struct directory_listing {
    const struct node *dir;
    list_each each;
    void *data;
};

static int give(const struct directory_listing *l, const char *name, unsigned char d_type) {
    if (path_is_dots(name))
        return AQFS_OK;
    enum node_type type = type_of_entry(d_type);
    if (type == NODE_UNKNOWN)
        type = type_by_stat(l->dir->fd, name);
    return l->each(l->data, name, strlen(name), type);
}

static int list_stream(const struct directory_listing *l, DIR *stream, struct error *e) {
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (!entry)
            return errno ? fail_errno(e, errno, "read directory") : AQFS_OK;
        int code = give(l, entry->d_name, entry->d_type);
        if (code)
            return code;
    }
}

/* Needs six more system calls for each directory than getdents64, and a walk reads thousands. */
static int list_by_readdir(const struct directory_listing *l, struct error *e) {
    int fd = fcntl(l->dir->fd, F_DUPFD_CLOEXEC, 0);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream) {
        int error = errno;
        if (fd >= 0)
            close(fd);
        return fail_errno(e, error, "read directory");
    }
    int code = list_stream(l, stream, e);
    closedir(stream);
    return code;
}

/* The position behind a name is the greatest there is when ext4 or btrfs has read to the end.  A
 * directory that could be read only in part has another, so its error is asked for and seen. */
static bool is_at_end(const struct node *dir, int64_t position) {
    return position == INT64_MAX && dir->within && dir->within->is_well_known;
}

static int list_all(const struct directory_listing *l, struct error *e) {
    alignas(struct dirent64) char block[32768];
    int64_t position = 0;
    while (!is_at_end(l->dir, position)) {
        long n = kernel_list(l->dir->fd, block, sizeof block);
        if (n == -ENOSYS)
            return list_by_readdir(l, e);
        if (n <= 0)
            return n < 0 ? fail_errno(e, (int)-n, "read directory") : AQFS_OK;
        for (long at = 0; at < n;) {
            const struct dirent64 *entry = (const void *)(block + at);
            int code = give(l, entry->d_name, entry->d_type);
            if (code)
                return code;
            at += entry->d_reclen;
            position = entry->d_off;
        }
    }
    return AQFS_OK;
}

int host_list(const struct node *dir, list_each each, void *data, struct error *e) {
    return list_all(&(struct directory_listing){dir, each, data}, e);
}

int host_stat_below(const struct node *dir, const char *name, struct info *out, struct error *e) {
    int error = kernel_stat_at(dir->fd, name, out);
    return error ? fail_errno(e, -error, "stat") : AQFS_OK;
}

int host_readlink_below(const struct node *dir, const char *name, struct buf *out,
                        struct error *e) {
    char target[PATH_BYTES_MAX + 1];
    ssize_t n = readlinkat(dir->fd, name, target, sizeof target);
    if (n < 0)
        return fail_errno(e, errno, "read link");
    buf_add(out, target, (size_t)n);
    return out->failed ? fail_memory(e) : AQFS_OK;
}

bool host_links_are_texts(const struct node *dir) {
    return (dir->within && dir->within->is_well_known) || !beneath_is_on_proc(dir->fd);
}

/* Stops at the size that the file had when it was opened, which saves the read that would answer 0.
 * Files of /proc have size 0, and the size of OPEN_UNSEEN is unknown: these are read until a read
 * answers 0, or until a short read is known to mean the end. */
ssize_t host_read(const struct node *file, char *out, size_t n, int64_t offset) {
    size_t done = 0;
    int64_t size = file->info.size;
    bool may_tell = size == SIZE_UNKNOWN && file->within && file->within->is_well_known;
    while (done < n && (size <= 0 || offset + (int64_t)done < size)) {
        ssize_t got = pread(file->fd, out + done, n - done, offset + (int64_t)done);
        if (got == 0)
            break;
        if (got > 0) {
            done += (size_t)got;
            /* A short read means the end of the file, or that the next part of the disk cannot be
             * read. Such a part begins at a sector, so a read that ends elsewhere is at the end. */
            if (may_tell && (offset + (int64_t)done) % SECTOR != 0)
                break;
        } else if (errno != EINTR)
            return -errno;
    }
    return (ssize_t)done;
}

int host_stat(const struct node *any, struct info *out, struct error *e) {
    struct info now;
    int error = kernel_stat(any->fd, &now);
    if (error)
        return fail_errno(e, -error, "stat");
    int code = check_mount(any->within, any->fd, &now, e);
    if (!code)
        *out = now;
    return code;
}

bool host_may(const struct node *any, bool write) {
    return kernel_may(any->fd, write);
}

void host_close(struct node *node) {
    cleanup_close(&node->fd);
}

/* Restricted places are known by their identity, too, where a call opens files by their places and
 * locates nothing. */
static int host_begin(struct aqfs_workspace *ws, struct error *e) {
    (void)e;
    hidden_refresh(ws->hidden);
    return AQFS_OK;
}

const struct backend host_backend = {
    HOST_FILES,
    .name = "host",
    .durable = true,
    .open_roots = host_open_roots,
    .begin = host_begin,
    .open = host_open,
    .stage = host_stage,
    .settle = host_settle,
    .settles_whole = host_settles_whole,
    .settle_whole = host_settle_whole,
    .sync = host_sync,
};
