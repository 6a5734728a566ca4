/* git_tree.c -- where the working tree of a git repository begins, above a directory of this
 * machine.
 *
 * SPDX-License-Identifier: MIT
 */
#include "git_tree.h"

#include "canonical.h"
#include "cleanup.h"
#include "repository.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- the directory of a repository ------------------------------------------------------------- */

static bool is_own(const struct stat *s) {
    return s->st_uid == geteuid() || s->st_uid == 0;
}

static unsigned parts_in(int directory) {
    static const char *const names[] = {"HEAD", "commondir", "objects", "refs"};
    unsigned parts = 0;
    struct stat s;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (fstatat(directory, names[i], &s, AT_SYMLINK_NOFOLLOW) == 0)
            parts |= repository_part(names[i], strlen(names[i]));
    return parts;
}

/* Does NAME, which may be a link, lead from DIRECTORY to a repository of the caller's or root's? */
static bool leads_to_repository(int directory, const char *name) {
    struct stat s;
    AUTO(cleanup_close) int fd = openat(directory, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 && fstat(fd, &s) == 0 && is_own(&s) && repository_is_whole(parts_in(fd));
}

/* Reads what is behind WORD in the file NAME of DIRECTORY into BYTES, without the end of the line,
 * and returns where that begins.  NULL if it is no such file.  It may be anything by now, so
 * opening it must not wait, and only as much is read as the longest path takes. */
static const char *read_pointer(int directory, const char *name, const char *word,
                                char bytes[REPOSITORY_POINTER + 1]) {
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    struct stat s;
    size_t skip = strlen(word);
    AUTO(cleanup_close) int fd = openat(directory, name, flags);
    if (fd < 0 || fstat(fd, &s) != 0 || !S_ISREG(s.st_mode) || !is_own(&s))
        return NULL;
    ssize_t n = read(fd, bytes, REPOSITORY_POINTER + 1);
    if (n <= (ssize_t)skip || n == REPOSITORY_POINTER + 1 || memchr(bytes, '\0', (size_t)n) ||
        memcmp(bytes, word, skip) != 0 || bytes[skip] == '\n')
        return NULL; // cppcheck-suppress resourceLeak ; AUTO closes it
    while (n > (ssize_t)skip && (bytes[n - 1] == '\n' || bytes[n - 1] == '\r'))
        n--;
    bytes[n] = '\0';
    return bytes + skip;
}

static bool points_to_repository(int directory) {
    char bytes[REPOSITORY_POINTER + 1];
    const char *target = read_pointer(directory, ".git", REPOSITORY_WORD, bytes);
    return target && leads_to_repository(directory, target);
}

/* Everybody may give a file of the caller's a second name in a directory that all can write to, so
 * a pointer file there has one name. */
static bool begins_tree(int directory, bool shared) {
    struct stat s;
    if (fstatat(directory, ".git", &s, AT_SYMLINK_NOFOLLOW) != 0 || !is_own(&s))
        return false;
    if (S_ISREG(s.st_mode))
        return !(shared && s.st_nlink > 1) && points_to_repository(directory);
    return (S_ISDIR(s.st_mode) || S_ISLNK(s.st_mode)) && leads_to_repository(directory, ".git");
}

/* -- upwards ----------------------------------------------------------------------------------- */

static bool is_same_directory(const struct stat *a, const char *path) {
    struct stat b;
    return path && path[0] == '/' && stat(path, &b) == 0 && a->st_dev == b.st_dev &&
           a->st_ino == b.st_ino;
}

/* Nobody else decides what is in it.  One of the caller's own counts although everybody may write
 * to it: some file systems say so of all. */
static bool is_trusted(const struct stat *s) {
    return s->st_uid == geteuid() || (s->st_uid == 0 && !(s->st_mode & S_IWOTH));
}

static void cut_last(char *path) {
    *strrchr(path, '/') = '\0';
}

static int open_path(const char *path, struct stat *s) {
    int fd = open(path[0] ? path : "/", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && fstat(fd, s) != 0)
        cleanup_close(&fd);
    return fd;
}

bool git_tree_find(char *path, const char *home) {
    struct stat s, below = {0};
    for (bool first = true; path[0] && path[1]; first = false, below = s, cut_last(path)) {
        AUTO(cleanup_close) int fd = open_path(path, &s);
        if (fd < 0 || !is_trusted(&s) || (!first && s.st_dev != below.st_dev) ||
            is_same_directory(&s, home))
            return false;
        if (begins_tree(fd, s.st_mode & S_IWOTH))
            return true;
    }
    return false;
}

bool git_tree_in_repository(const char *path) {
    char above[PATH_BYTES_MAX + 1];
    struct stat s;
    size_t n = strlen(path);
    if (n >= sizeof above)
        return false;
    memcpy(above, path, n + 1);
    for (bool first = true; above[0]; first = false, cut_last(above)) {
        AUTO(cleanup_close) int fd = open_path(above, &s);
        if (fd < 0)
            continue;
        if (!first && repository_is_whole(parts_in(fd)))
            return true;
        if (begins_tree(fd, false))
            return false;
    }
    return false;
}

/* -- the repository of a tree ------------------------------------------------------------------ */

bool git_tree_is_repository(const char *path) {
    AUTO(cleanup_close) int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 && repository_is_whole(parts_in(fd));
}

/* Makes OUT the canonical path of TARGET, which is relative to the directory BASE. */
static bool canonical_from(const char *base, const char *target, char out[PATH_BYTES_MAX + 1]) {
    char joined[2 * (PATH_BYTES_MAX + 1)];
    const char *parts[] = {target[0] == '/' ? "" : base, target[0] == '/' ? "" : "/", target};
    size_t n = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t len = strlen(parts[i]);
        if (n + len >= sizeof joined)
            return false;
        memcpy(joined + n, parts[i], len + 1);
        n += len;
    }
    AUTO_FREE char *real = canonical_path(joined);
    if (!real || strlen(real) > PATH_BYTES_MAX)
        return false;
    memcpy(out, real, strlen(real) + 1);
    return true;
}

bool git_tree_of_store(const char *store, char tree[PATH_BYTES_MAX + 1]) {
    char bytes[REPOSITORY_POINTER + 1];
    struct stat s;
    AUTO(cleanup_close) int fd = open_path(store, &s);
    const char *target = fd < 0 ? NULL : read_pointer(fd, "gitdir", "", bytes);
    if (!target || !canonical_from(store, target, tree))
        return false;
    cut_last(tree);
    return true;
}

bool git_tree_directory(const char *tree, char own[PATH_BYTES_MAX + 1],
                        char shared[PATH_BYTES_MAX + 1]) {
    char bytes[REPOSITORY_POINTER + 1];
    struct stat s;
    AUTO(cleanup_close) int fd = open_path(tree, &s);
    if (fd < 0 || !begins_tree(fd, false))
        return false;
    const char *target = read_pointer(fd, ".git", REPOSITORY_WORD, bytes);
    if (!canonical_from(tree, target ? target : ".git", own))
        return false;
    AUTO(cleanup_close) int directory = open_path(own, &s);
    target = directory < 0 ? NULL : read_pointer(directory, "commondir", "", bytes);
    if (!target || !canonical_from(own, target, shared))
        memcpy(shared, own, strlen(own) + 1);
    return true;
}
