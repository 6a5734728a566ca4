/* operation.h -- patches through apply_patch, in a project of its own below $TMPDIR. */
#ifndef PATCH_OPERATION_H
#define PATCH_OPERATION_H

#include "aqfs.h"
#include "buf.h"

#include <ftw.h>
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct operation {
    char base[200], project[220];
    aqfs_workspace *ws;
    char error[40], message[600]; /* of the last patch, or "" */
};

static inline bool operation_start(struct operation *o) {
    char options[700];
    const char *tmp = getenv("TMPDIR");
    (void)snprintf(o->base, sizeof o->base, "%s/aqfs-patch.XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(o->base))
        return false;
    (void)snprintf(o->project, sizeof o->project, "%s/project", o->base);
    int n = snprintf(options, sizeof options, "{\"root\":\"%s\",\"state_dir\":\"%s/state\"}",
                     o->project, o->base);
    if (mkdir(o->project, 0755) == 0)
        aqfs_reply_free(aqfs_open(options, (size_t)n, AQFS_JSON, &o->ws));
    return o->ws;
}

static inline bool operation_apply(struct operation *o, const struct buf *patch) {
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

static inline int operation_remove(const char *path, const struct stat *s, int type,
                                   struct FTW *where) {
    (void)s, (void)type, (void)where;
    return remove(path);
}

static inline void operation_end(struct operation *o) {
    aqfs_free(o->ws);
    (void)nftw(o->base, operation_remove, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
