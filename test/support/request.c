/* request.c -- asking a workspace for an operation: see request.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "request.h"

#include "die.h"
#include "files.h"

#include <stdlib.h>
#include <string.h>

aqfs_workspace *open_options(const char *options) {
    aqfs_workspace *ws = NULL;
    aqfs_reply *reply = aqfs_open(options, strlen(options), AQFS_JSON, &ws);
    if (!ws)
        die("%s: %s", options, reply ? aqfs_reply_text(reply, NULL) : "no memory");
    aqfs_reply_free(reply);
    return ws;
}

aqfs_reply *ask_as(aqfs_workspace *ws, const char *op, const char *args, int format) {
    char *request = path_of("{\"op\":\"%s\",\"args\":%s,\"authority\":\"dangerous\"}", op, args);
    const aqfs_context context = {.format = format};
    aqfs_reply *reply = aqfs_call(ws, request, strlen(request), &context);
    free(request);
    return reply;
}
