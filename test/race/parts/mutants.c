/* SPDX-License-Identifier: MIT */
/* mutants.c -- three readers with a hole, which the race test must find: see mutants.h. */
#include "mutants.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Reads and closes FD, which may be -1. */
static void take(int fd, char *reply, size_t room) {
    ssize_t n = fd < 0 ? -1 : read(fd, reply, room - 1);
    if (fd >= 0)
        close(fd);
    if (n >= 0)
        reply[n] = '\0';
    else
        snprintf(reply, room, ":error");
}

/* Judges the canonical path: inside ROOT and not restricted. */
static bool is_allowed(const char *root, const char *path) {
    char real[PATH_MAX], full[PATH_MAX];
    snprintf(full, sizeof full, "%s/%s", root, path);
    size_t n = strlen(root);
    return realpath(full, real) && strncmp(real, root, n) == 0 && real[n] == '/' &&
           strncmp(real + n, "/restricted", 11) != 0;
}

void realpath_then_open(const char *root, const char *path, char *reply, size_t room) {
    char full[PATH_MAX];
    snprintf(full, sizeof full, "%s/%s", root, path);
    take(is_allowed(root, path) ? open(full, O_RDONLY | O_CLOEXEC) : -1, reply, room);
}

void beneath_on_original(const char *root, const char *path, char *reply, size_t room) {
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_BENEATH};
    int fd = -1;
    int dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir >= 0 && is_allowed(root, path))
        fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
    close(dir);
    take(fd, reply, room);
}

void steps_without_nofollow(const char *root, const char *path, char *reply, size_t room) {
    char name[PATH_MAX];
    int fd = -1;
    int dir = is_allowed(root, path) ? open(root, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    for (const char *at = path; dir >= 0;) {
        size_t n = strcspn(at, "/");
        memcpy(name, at, n);
        name[n] = '\0';
        bool last = at[n] == '\0';
        fd = openat(dir, name, O_CLOEXEC | (last ? O_RDONLY | O_NOFOLLOW : O_PATH | O_DIRECTORY));
        close(dir);
        dir = last ? -1 : fd;
        at += n + 1;
    }
    take(fd, reply, room);
}
