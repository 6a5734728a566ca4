/* emacs_socket.c -- the socket of a running Emacs: see emacs_socket.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emacs_socket.h"

#include "cleanup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define FIRST_SOCKET "emacs"

/* Is the process behind FD one of this user's?  A socket may lie where others can write. */
static bool is_same_user(int fd) {
    struct ucred peer;
    socklen_t n = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) == 0 && peer.uid == geteuid();
}

/* A descriptor, or -1 with errno. */
static int connect_to(const char *path) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof name.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name.sun_path, path, strlen(path) + 1);
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&name, sizeof name) != 0)
        return -1;
    if (!is_same_user(fd)) {
        errno = EPERM;
        return -1;
    }
    return steal_fd(&fd);
}

/* -- where it is looked for -------------------------------------------------------------------- */

/* The directory number I, the likeliest first; false if there is none. */
static bool socket_directory(size_t i, char out[256]) {
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    unsigned long user = (unsigned long)geteuid();
    if (i == 0 && (!runtime || runtime[0] != '/' || strlen(runtime) > 200))
        out[0] = '\0';
    else if (i == 0)
        (void)snprintf(out, 256, "%s/agent-q-fs", runtime);
    else if (i == 1) /* agents start their servers with few variables */
        (void)snprintf(out, 256, "/run/user/%lu/agent-q-fs", user);
    else
        (void)snprintf(out, 256, "/tmp/agent-q-fs-%lu", user);
    return i < 3;
}

static bool is_private(const char *directory) {
    struct stat info;
    return lstat(directory, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
           (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int connect_in(const char *directory) {
    char path[600];
    if (!directory[0] || !is_private(directory))
        return -1;
    (void)snprintf(path, sizeof path, "%s/%s", directory, FIRST_SOCKET);
    int fd = connect_to(path);
    DIR *names = fd < 0 ? opendir(directory) : NULL;
    const struct dirent *entry;
    while (fd < 0 && names && (entry = readdir(names)) != NULL) {
        if (strncmp(entry->d_name, FIRST_SOCKET "-", sizeof FIRST_SOCKET) != 0)
            continue;
        (void)snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        fd = connect_to(path);
    }
    if (names)
        (void)closedir(names);
    return fd;
}

static int connect_anywhere(void) {
    char directory[256];
    int fd = -1;
    for (size_t i = 0; fd < 0 && socket_directory(i, directory); i++)
        fd = connect_in(directory);
    return fd;
}

bool emacs_socket_is_there(void) {
    AUTO_CLOSE int fd = connect_anywhere();
    return fd >= 0;
}

int emacs_socket_connect(const char *given, struct error *e) {
    int fd = given ? connect_to(given) : connect_anywhere();
    if (fd >= 0)
        return fd;
    if (!given)
        (void)fail(e, AQFS_NOT_CONNECTED,
                   "No Emacs serves this project's files: in the user's Emacs, M-x "
                   "agent-q-fs-mcp-mode does.  Nothing was done");
    else if (errno == EPERM)
        (void)fail(e, AQFS_NOT_CONNECTED, "%.200s belongs to another user.  Nothing was done",
                   given);
    else
        (void)fail(e, AQFS_NOT_CONNECTED,
                   "No Emacs serves at %.200s (%s): in the user's Emacs, M-x agent-q-fs-mcp-mode "
                   "does.  Nothing was done",
                   given, strerror(errno));
    return -1;
}
