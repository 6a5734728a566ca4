/* SPDX-License-Identifier: MIT */
/* others.c -- what others do between two system calls of a change: see others.h. */
#include "others.h"

#include "shim.h"
#include "world.h"

#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#define FOREIGN "FOREIGN\n"
#define ATTRIBUTE "user.foreign"

struct point point;

aqfs_workspace *open_restricted(const char *resolver) {
    return open_with(resolver, ",\"restricted_paths\":[\"restricted\"],\"limits\":{\"threads\":1}");
}

void exchange(void) {
    char link[64];
    snprintf(link, sizeof link, "root/%s", point.link);
    must(renameat2(AT_FDCWD, "root/d", AT_FDCWD, link, RENAME_EXCHANGE) == 0, link);
}

static void swap_directory(void) {
    if (fault.seen == point.at || fault.seen == point.until) {
        exchange();
        point.done = fault.seen == point.at;
    }
}

/* A program that has to wait for a lease has found the file: it tries again at the next call. */
static int open_foreign(int flags) {
    char found[64];
    if (point.done || fault.seen < point.at)
        return -1;
    if (point.found < 0)
        point.found = open(point.path, O_PATH | O_CLOEXEC);
    snprintf(found, sizeof found, "/proc/self/fd/%d", point.found);
    int fd = open(found, flags | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 && errno != EAGAIN)
        point.at = LONG_MAX; /* it was not there */
    return fd;
}

static void write_foreign(int fd) {
    must(write(fd, FOREIGN, strlen(FOREIGN)) == (ssize_t)strlen(FOREIGN), "write");
    point.done = true;
}

static void append(void) {
    int fd = open_foreign(O_WRONLY | O_APPEND);
    if (fd >= 0) {
        write_foreign(fd);
        close(fd);
    }
}

/* As many bytes as before, within the same tick of the clock. */
static void overwrite(void) {
    int fd = open_foreign(O_WRONLY);
    if (fd >= 0) {
        write_foreign(fd);
        close(fd);
    }
}

/* Opens it at one call and writes to it at a later one. */
static void hold(void) {
    if (point.fd < 0) {
        point.fd = open_foreign(O_WRONLY | O_APPEND);
    } else if (!point.done && fault.seen >= point.until) {
        write_foreign(point.fd);
        close(point.fd);
    }
}

/* The same, but it writes just before names are put on disk, when all is exchanged. */
static void hold_to_sync(void) {
    struct stat s;
    if (point.fd < 0) {
        point.fd = open_foreign(O_WRONLY | O_APPEND);
    } else if (!point.done && strcmp(fault.now, "fsync") == 0 && fstat(fault.synced, &s) == 0 &&
               S_ISDIR(s.st_mode)) {
        write_foreign(point.fd);
        close(point.fd);
    }
}

static void replace(void) {
    if (fault.seen != point.at)
        return;
    make_file_as("foreign", FOREIGN, 0644);
    if (access(point.path, F_OK) == 0) {
        must(rename("foreign", point.path) == 0, "rename");
        point.done = true;
    }
}

static void take_away(void) {
    if (fault.seen == point.at)
        point.done = unlink(point.path) == 0;
}

static void change_mode(void) {
    if (fault.seen == point.at)
        point.done = chmod(point.path, 0600) == 0;
}

static void change_owner(void) {
    if (fault.seen == point.at)
        point.done = chown(point.path, 4321, 4321) == 0;
}

static void change_attribute(void) {
    if (fault.seen == point.at)
        point.done = setxattr(point.path, ATTRIBUTE, "v", 1, 0) == 0;
}

/* Another process, which is not waited for. */
static bool forks(void) {
    if (fault.seen != point.at)
        return false;
    point.done = true;
    point.child = start_child();
    if (point.child == 0)
        must(close_range(STDERR_FILENO + 1, ~0U, 0) == 0, "close_range"); /* locks among them */
    return point.child == 0;
}

static void recover(void) {
    if (!forks())
        return;
    aqfs_free(open_restricted(point.resolver));
    _exit(0);
}

static void edit_too(void) {
    if (!forks())
        return;
    char args[PATH_MAX + 64];
    aqfs_workspace *ws = open_restricted(point.resolver);
    snprintf(args, sizeof args, "{\"path\":\"%s\",\"content\":\"FOREIGN\\n\",\"line\":-1}",
             point.path + strlen("root/"));
    for (int round = 0; round < 100; round++) {
        aqfs_reply *r = ask_as(ws, "insert_at_line", args, AQFS_SEXP);
        const char *error = aqfs_reply_error(r);
        if (!error)
            _exit(1);
        if (strcmp(error, "stale") != 0 && strcmp(error, "raced") != 0)
            _exit(strcmp(error, "not-found") == 0 ? 0 : 2);
    }
    _exit(3);
}

const struct other others[] = {
    {"swap-out", KIND_SWAP, swap_directory, "out", {1, 2, -1}, NULL, 0},
    {"swap-hidden", KIND_SWAP, swap_directory, "hidden", {1, 2, -1}, NULL, 0},
    {"append", KIND_WRITE, append, NULL, {-1}, "FOREIGN", 0},
    {"overwrite", KIND_WRITE, overwrite, NULL, {-1}, "FOREIGN", 0},
    {"hold", KIND_WRITE, hold, NULL, {1, 4, 12}, "FOREIGN", 0},
    {"hold-to-sync", KIND_WRITE, hold_to_sync, NULL, {-1}, "FOREIGN", 0},
    {"replace", KIND_REPLACE, replace, NULL, {-1}, "FOREIGN", 0},
    {"delete", KIND_ABSENT, take_away, NULL, {-1}, NULL, 0},
    {"chmod", KIND_FACT, change_mode, NULL, {-1}, " 100600 ", 0},
    {"chown", KIND_FACT, change_owner, NULL, {-1}, " 4321:4321", 0},
    {"setxattr", KIND_FACT, change_attribute, NULL, {-1}, ATTRIBUTE, 1},
    {"recover", KIND_RECOVER, recover, NULL, {-1}, NULL, 0},
    {"edit", KIND_EDIT, edit_too, NULL, {-1}, "FOREIGN", 0},
};

const size_t other_count = sizeof others / sizeof *others;

bool appends(const struct other *other) {
    return other->act == append;
}

bool holds(const struct other *other) {
    return other->act == hold;
}

bool is_never_leased(const struct other *other) {
    return other->act == hold_to_sync;
}
