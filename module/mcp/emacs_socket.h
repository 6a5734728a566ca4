/* emacs_socket.h -- the socket on which a running Emacs serves agent-q-fs mcp.
 *
 * M-x agent-q-fs-mcp-mode makes it (agent-q-fs-mcp.el): "emacs", or for a second Emacs "emacs-" and
 * its process id, in the directory agent-q-fs of $XDG_RUNTIME_DIR, or in /tmp/agent-q-fs-UID.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_EMACS_SOCKET_H
#define AQFS_EMACS_SOCKET_H

#include "error.h"

#include <stdbool.h>

/* Connects to the socket GIVEN, or to the first that answers in those directories for NULL.  The
 * other end must be a process of the same user.  Returns a descriptor, or -1 and *E, which says
 * what a person can do. */
int emacs_socket_connect(const char *given, struct error *e);

/* Does an Emacs serve where it is looked for? */
bool emacs_socket_is_there(void);

#endif
