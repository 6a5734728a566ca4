/* emacs_peer.h -- which users are connected to a socket of this process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_EMACS_PEER_H
#define AQFS_EMACS_PEER_H

#include <stdbool.h>

/* Is there a process connected to the Unix socket that this process listens on at PATH, and does
 * each of them belong to this process' user?  Emacs shows no descriptor of a connection, so all are
 * looked at. */
bool peers_are_own(const char *path);

#endif
