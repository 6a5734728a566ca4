/* folds.c -- does a directory take names that differ in letter case for the same one?
 *
 * SPDX-License-Identifier: MIT
 */
#include "host.h"

#include "cleanup.h"
#include "path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#ifndef FS_CASEFOLD_FL
#define FS_CASEFOLD_FL 0x40000000
#endif

/* Names of a directory that are looked at to find out. */
#define PROBES_MOST 64

/* File systems that fold, or may: those of other systems, what their servers share, and FUSE. */
static bool may_fold(int directory) {
    static const uint32_t folding[] = {0x4d44 /* vfat */,     0x2011BAB0 /* exFAT */,
                                       0x5346544e /* NTFS */, 0x7366746e /* ntfs3 */,
                                       0xFF534D42 /* CIFS */, 0xFE534D42 /* SMB2 */,
                                       0x01021997 /* 9p */,   0x4244 /* HFS */,
                                       0x482b /* HFS+ */,     0x65735546 /* FUSE */};
    struct statfs s;
    if (fstatfs(directory, &s) != 0)
        return false;
    for (size_t i = 0; i < sizeof folding / sizeof *folding; i++)
        if ((uint32_t)s.f_type == folding[i])
            return true;
    return false;
}

/* Writes NAME with its first letter in the other case; false if it has none. */
static bool change_case(const char *name, char out[NAME_BYTES_MAX + 1]) {
    size_t n = strlen(name);
    if (n > NAME_BYTES_MAX)
        return false;
    memcpy(out, name, n + 1);
    for (; *out; out++) {
        char lower = (char)(*out | 0x20);
        if (lower >= 'a' && lower <= 'z') {
            *out = (char)(*out ^ 0x20);
            return true;
        }
    }
    return false;
}

static bool is_listed(int directory, const char *name) {
    bool found = false;
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream) {
        cleanup_close(&fd);
        return true;
    }
    const struct dirent *entry;
    while (!found && (entry = readdir(stream)) != NULL)
        found = strcmp(entry->d_name, name) == 0;
    (void)closedir(stream);
    return found;
}

enum folding { FOLDS_NOT, FOLDS, FOLDS_UNKNOWN };

/* Does the entry NAME answer to another spelling that is not listed?  Their inodes would not tell:
 * FUSE gives each spelling its own. */
static enum folding probe(int directory, const char *name) {
    char other[NAME_BYTES_MAX + 1];
    struct stat s;
    if (!change_case(name, other))
        return FOLDS_UNKNOWN;
    if (fstatat(directory, other, &s, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? FOLDS_NOT : FOLDS_UNKNOWN;
    return is_listed(directory, other) ? FOLDS_UNKNOWN : FOLDS;
}

static enum folding probe_entries(int directory) {
    enum folding answer = FOLDS_UNKNOWN;
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    if (!stream) {
        cleanup_close(&fd);
        return answer;
    }
    for (int i = 0; answer == FOLDS_UNKNOWN && i < PROBES_MOST; i++) {
        const struct dirent *entry = readdir(stream);
        if (!entry)
            break;
        if (!path_is_dots(entry->d_name))
            answer = probe(directory, entry->d_name);
    }
    (void)closedir(stream);
    return answer;
}

static bool directory_folds(const char *path) {
    int flags = 0;
    AUTO(cleanup_close) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && (flags & FS_CASEFOLD_FL))
        return true; // cppcheck-suppress resourceLeak ; AUTO closes it
    enum folding answer = probe_entries(fd);
    return answer == FOLDS || (answer == FOLDS_UNKNOWN && may_fold(fd));
}

bool host_folds(const char *absolute) {
    AUTO_FREE char *path = strdup(absolute);
    struct stat s;
    if (!path)
        return true; /* the stricter answer */
    for (char *slash; (slash = strrchr(path, '/')) != NULL;) {
        *slash = '\0';
        if (stat(path[0] ? path : "/", &s) == 0)
            return directory_folds(path[0] ? path : "/");
    }
    return false;
}
