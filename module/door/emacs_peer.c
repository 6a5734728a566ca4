/* emacs_peer.c -- which users are connected to a socket of this process: see emacs_peer.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emacs_peer.h"

#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define MOST_DESCRIPTORS 65536

/* Is FD a connection that came by the socket at PATH? */
static bool came_by(int fd, const char *path) {
    struct sockaddr_un name;
    socklen_t n = sizeof name, flag_n = sizeof(int);
    int listens = 0;
    memset(&name, 0, sizeof name);
    return getsockname(fd, (struct sockaddr *)&name, &n) == 0 && name.sun_family == AF_UNIX &&
           n > offsetof(struct sockaddr_un, sun_path) &&
           strncmp(name.sun_path, path, sizeof name.sun_path) == 0 &&
           getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &flag_n) == 0 && !listens;
}

bool peers_are_own(const char *path) {
    long most = sysconf(_SC_OPEN_MAX);
    bool any = false;
    for (int fd = 0; fd < MOST_DESCRIPTORS && fd < most; fd++) {
        struct ucred peer;
        socklen_t n = sizeof peer;
        if (!came_by(fd, path))
            continue;
        if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0 || peer.uid != geteuid())
            return false;
        any = true;
    }
    return any;
}
