/* early.h -- a call whose reply is heard of while it is written.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_EARLY_H
#define AQFS_EARLY_H

#include "reply.h"

/* Does what aqfs_call does, for a LISTENER to the reply, or NULL. */
aqfs_reply *door_call(aqfs_workspace *workspace, const char *request, size_t length,
                      const aqfs_context *context, struct reply_listener *listener);

#endif
