/* SPDX-License-Identifier: MIT */
/* operation.c -- patches through apply_patch, in a project of its own below $TMPDIR: see
 * operation.h. */
#include "operation.h"

#include "files.h"
#include "request.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void operation_start(struct operation *o) {
    o->base = make_temporary_in(temporary_place(), "aqfs-patch");
    o->project = path_of("%s/project", o->base);
    make_directory(o->project);
    char *options = path_of("{\"root\":\"%s\",\"state_dir\":\"%s/state\"}", o->project, o->base);
    o->ws = open_options(options);
    free(options);
}

bool operation_apply(struct operation *o, const struct buf *patch) {
    aqfs_context json = {.format = AQFS_JSON};
    o->error[0] = o->message[0] = '\0';
    json_t *request = json_pack("{s:s, s:{s:s%}, s:s}", "op", "apply_patch", "args", "patch",
                                patch->data, patch->len, "authority", "dangerous");
    char *text = request ? json_dumps(request, JSON_COMPACT) : NULL;
    json_decref(request);
    if (!text) {
        (void)snprintf(o->error, sizeof o->error, "not-utf-8");
        return false;
    }
    aqfs_reply *reply = aqfs_call(o->ws, text, strlen(text), &json);
    size_t n;
    const char *said = aqfs_reply_text(reply, &n), *code = aqfs_reply_error(reply);
    if (code) {
        json_t *data = json_loadb(said, n, 0, NULL);
        const char *message = json_string_value(json_object_get(data, "message"));
        (void)snprintf(o->error, sizeof o->error, "%s", code);
        (void)snprintf(o->message, sizeof o->message, "%s", message ? message : "");
        json_decref(data);
    }
    aqfs_reply_free(reply);
    free(text);
    return !o->error[0];
}

void operation_end(struct operation *o) {
    aqfs_free(o->ws);
    remove_all(o->base);
    free(o->base), free(o->project);
}
