/* world.h -- the directories that a fault test plays with, and what they hold, as text.
 *
 *     BASE/root       the project
 *     BASE/outside    what must never change
 *     BASE/state      journals
 */
#ifndef WORLD_H
#define WORLD_H

#include "aqfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

static char base[64];

static _Noreturn void give_up(const char *what) {
    fprintf(stderr, "fault: %s: %s\n", what, strerror(errno));
    exit(2);
}

static inline void must(bool ok, const char *what) {
    if (!ok)
        give_up(what);
}

/* In memory where that is possible: a sweep syncs a million times. */
static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory, sorted. */
static size_t names_in(const char *path, char *names[], size_t room) {
    DIR *dir = opendir(path);
    size_t n = 0;
    if (!dir)
        give_up(path);
    for (const struct dirent *e; (e = readdir(dir)) != NULL && n < room;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            names[n++] = strdup(e->d_name);
    closedir(dir);
    qsort(names, n, sizeof *names, by_name);
    return n;
}

static void world_remove(const char *path) {
    struct stat s;
    if (lstat(path, &s) != 0)
        return;
    if (S_ISDIR(s.st_mode)) {
        char *names[64], below[PATH_MAX];
        size_t n = names_in(path, names, 64);
        for (size_t i = 0; i < n; i++) {
            snprintf(below, sizeof below, "%s/%s", path, names[i]);
            world_remove(below);
            free(names[i]);
        }
    }
    must(remove(path) == 0, path);
}

static void world_end(void) {
    must(chdir("/") == 0, "chdir");
    world_remove(base);
}

static void put_file(const char *path, const char *content, mode_t mode) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content) &&
             fchmod(fd, mode) == 0 && close(fd) == 0,
         path);
}

static void world_start(void) {
    bool memory = access("/dev/shm", W_OK | X_OK) == 0;
    snprintf(base, sizeof base, "%s/aqfs-fault-XXXXXX", memory ? "/dev/shm" : "/tmp");
    must(mkdtemp(base) != NULL && chdir(base) == 0, base);
    put_file("meminfo-little", "MemTotal: 1 kB\nDirty: 0 kB\nWriteback: 0 kB\n", 0644);
    put_file("meminfo-much", "MemTotal: 1 kB\nDirty: 1000000 kB\nWriteback: 0 kB\n", 0644);
}

struct picture {
    char *text;
    size_t len, room;
};

static void add(struct picture *p, const char *bytes, size_t n) {
    if (p->len + n + 1 > p->room) {
        p->room = 2 * (p->len + n + 1);
        p->text = realloc(p->text, p->room);
        if (!p->text)
            give_up("memory");
    }
    memcpy(p->text + p->len, bytes, n);
    p->len += n;
    p->text[p->len] = '\0';
}

static void add_attributes(struct picture *p, const char *path) {
    char names[512], value[512];
    ssize_t n = llistxattr(path, names, sizeof names);
    for (char *name = names; n > 0 && name < names + n; name += strlen(name) + 1) {
        ssize_t size = lgetxattr(path, name, value, sizeof value);
        add(p, " ", 1);
        add(p, name, strlen(name));
        add(p, "=", 1);
        if (size > 0)
            add(p, value, (size_t)size);
    }
}

static void add_content(struct picture *p, const char *path, const struct stat *s) {
    char block[4096];
    if (S_ISLNK(s->st_mode)) {
        ssize_t n = readlink(path, block, sizeof block);
        must(n >= 0, path);
        add(p, block, (size_t)n);
    } else if (S_ISREG(s->st_mode)) {
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        must(fd >= 0, path);
        for (ssize_t n; (n = read(fd, block, sizeof block)) > 0;)
            add(p, block, (size_t)n);
        close(fd);
    }
}

static bool is_temporary(const char *name) {
    return strncmp(name, ".aqfs-", 6) == 0;
}

static void add_tree(struct picture *p, const char *path, bool times, bool temporaries) {
    char *names[64], below[PATH_MAX], line[PATH_MAX + 128];
    struct stat s;
    must(lstat(path, &s) == 0, path);
    int n = snprintf(line, sizeof line, "%s %o %u:%u", path, s.st_mode, s.st_uid, s.st_gid);
    add(p, line, (size_t)n);
    if (times) {
        n = snprintf(line, sizeof line, " %llu %lld.%09ld", (unsigned long long)s.st_ino,
                     (long long)s.st_mtim.tv_sec, s.st_mtim.tv_nsec);
        add(p, line, (size_t)n);
    }
    add_attributes(p, path);
    add(p, "\n", 1);
    add_content(p, path, &s);
    add(p, "\n", 1);
    if (!S_ISDIR(s.st_mode))
        return;
    size_t entries = names_in(path, names, 64);
    for (size_t i = 0; i < entries; i++) {
        snprintf(below, sizeof below, "%s/%s", path, names[i]);
        if (temporaries || !is_temporary(names[i]))
            add_tree(p, below, times, temporaries);
        free(names[i]);
    }
}

/* All that is below PATH, bytes and permissions. */
static char *picture_of(const char *path, bool times, bool temporaries) {
    struct picture p = {0};
    add_tree(&p, path, times, temporaries);
    return p.text;
}

/* MORE is further members of the options, each with a comma before it. */
static aqfs_workspace *open_with(const char *resolver, const char *more) {
    aqfs_workspace *ws = NULL;
    char options[1024];
    snprintf(options, sizeof options,
             "{\"root\":\"%s/root\",\"state_dir\":\"%s/state\",\"resolver\":\"%s\"%s}", base, base,
             resolver, more);
    aqfs_reply *r = aqfs_open(options, strlen(options), AQFS_SEXP, &ws);
    must(r != NULL && ws != NULL, r ? aqfs_reply_text(r, NULL) : "aqfs_open");
    aqfs_reply_free(r);
    return ws;
}

static inline aqfs_workspace *open_workspace(const char *resolver) {
    return open_with(resolver, "");
}

#endif
