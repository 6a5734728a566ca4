/* snapshot_secret.c -- which files of a snapshot were secret by a name that is not their own.
 *
 * A hard link to a secret, or what a link of a secret name leads to, may be another
 * file when the snapshot is shown: then nothing else tells what it was.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "secret.h"
#include "snapshot_scan.h"

#include <string.h>

/* If there are more, all files of the snapshot count as secret. */
#define TOLD_MOST 10000

static bool has_other_names(const struct scan *scan) {
    bool several = false;
    for (size_t i = 0; !several && i < scan->files_n; i++) {
        const struct info *info = scan->files[i].item.info;
        several = info && info->type == NODE_FILE && info->links > 1;
    }
    return several || atomic_load(&scan->met_links);
}

/* Also makes AT the place of the file. */
static bool is_secret_by_another_name(struct scan *scan, const struct scan_file *f,
                                      struct place *at) {
    const struct info *info = f->item.info;
    const struct aqfs_workspace *ws = scan->work->ws;
    char path[WALK_PATH_MAX];
    if (f->item.kind != ITEM_FILE || !info)
        return false;
    at->len = walk_path(f->ref.dir, f->ref.entry, path);
    if (at->len > PATH_BYTES_MAX)
        return false;
    memcpy(at->path, path, at->len + 1);
    return (info->links > 1 || secret_twins_lead_to(ws, at)) &&
           !secret_by_path(ws, at->root, at->path, false) && secret_of_place(scan->work, at, info);
}

static int tell_secret(struct scan *scan, const struct place *at, json_t **out) {
    AUTO(buf_free) struct buf shown = {0};
    *out = *out ? *out : json_object();
    path_show(&shown, at->path, at->len);
    if (shown.failed || json_object_set_new(*out, shown.data, json_true()) != 0)
        return fail_memory(&scan->work->error);
    return AQFS_OK;
}

int scan_secrets(struct scan *scan, json_t **out) {
    struct work *work = scan->work;
    struct place at = {.root = &work->ws->roots[0], .type = NODE_FILE};
    if (!work->ws->secrets || !has_other_names(scan))
        return AQFS_OK;
    const struct error before = work->error;
    (void)secret_twins_look(work, NULL); /* without it, the names that are known still count */
    work->error = before;
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < scan->files_n; i++) {
        code = budget_check(&work->budget);
        if (code)
            code = fail_budget(&work->error, code);
        else if (is_secret_by_another_name(scan, &scan->files[i], &at))
            code = tell_secret(scan, &at, out);
    }
    if (!code && json_object_size(*out) > TOLD_MOST) {
        json_decref(*out);
        *out = json_true();
    }
    return code;
}

bool was_secret(const json_t *secrets, const char *path, size_t n) {
    AUTO(buf_free) struct buf shown = {0};
    if (!json_is_object(secrets))
        return json_is_true(secrets);
    path_show(&shown, path, n);
    return shown.failed || json_object_get(secrets, shown.data);
}
