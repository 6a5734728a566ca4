/* SPDX-License-Identifier: MIT */
/* serve_door.c -- the conformance table through `agent-q-fs serve`: see serve_door.h.
 *
 * One server serves all cases of a format: each opens a workspace of its own there. */
#include "serve_door.h"

#include "callee.h"

#include "die.h"
#include "far.h"
#include "reply.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct far *servers[2]; /* by format */
static uint64_t workspaces;

/* A workspace of a server. */
struct far_workspace {
    struct far *at;
    uint64_t number;
};

/* The answer to ID as if this process had made it. */
static aqfs_reply *reply_from(struct far *f, uint64_t id) {
    aqfs_reply *reply = calloc(1, sizeof *reply);
    if (!reply)
        die_of("calloc");
    reply->text = far_answer(f, id);
    return reply;
}

static aqfs_reply *open_far(const char *options, size_t length, int32_t format,
                            aqfs_workspace **out) {
    struct far *f = servers[format];
    struct far_workspace *far = calloc(1, sizeof *far);
    if (!far)
        die_of("calloc");
    *far = (struct far_workspace){.at = f, .number = ++workspaces};
    aqfs_reply *reply = reply_from(f, far_ask(f, FRAME_OPEN, far->number, options, length));
    const char *text = reply->text.data;
    const bool failed = strncmp(text, "(:error ", 8) == 0 || strncmp(text, "{\"error\"", 8) == 0;
    *out = failed ? NULL : (aqfs_workspace *)far;
    if (failed)
        free(far);
    return reply;
}

static aqfs_reply *call_far(aqfs_workspace *ws, const char *request, size_t length,
                            const aqfs_context *context) {
    const struct far_workspace *far = (const struct far_workspace *)ws;
    if (far->at != servers[context->format])
        die("a server replies in one format");
    return reply_from(far->at, far_ask(far->at, FRAME_CALL, far->number, request, length));
}

static void free_far(aqfs_workspace *ws) {
    struct far_workspace *far = (struct far_workspace *)ws;
    if (!far)
        return;
    struct buf nothing = far_answer(far->at, far_ask(far->at, FRAME_CLOSE, far->number, NULL, 0));
    if (nothing.len > 0)
        die("closing a workspace: %s", nothing.data);
    free(far);
}

static int descriptors_of_servers(void) {
    int n = 0;
    for (size_t i = 0; i < 2; i++) {
        char path[64];
        (void)snprintf(path, sizeof path, "/proc/%d/fd", (int)servers[i]->pipes->pid);
        DIR *dir = opendir(path);
        if (!dir)
            die_of(path);
        while (readdir(dir))
            n++;
        (void)closedir(dir);
    }
    return n;
}

static const struct callee served = {"serve", open_far, call_far, free_far, descriptors_of_servers};

void serve_door_begin(void) {
    servers[AQFS_SEXP] = far_greet("sexp", ", \"deflate\": true");
    servers[AQFS_JSON] = far_greet("json", ", \"window\": 100");
    callee = &served;
}

bool serve_door_end(void) {
    bool good = true;
    for (size_t i = 0; i < 2; i++)
        servers[i]->says_bye = true;
    for (size_t i = 0; i < 2; i++)
        good = far_end(servers[i]) == 0 && good;
    if (!good)
        printf("a server's status is not 0\n");
    return good;
}
