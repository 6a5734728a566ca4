/* leftovers.c -- the directories in which a workspace may have left temporary names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "leftovers.h"

#include "array.h"
#include "cleanup.h"
#include "node.h"
#include "own_file.h"
#include "tree_remove.h"

#include <string.h>

/* From this many directories on, their file system is synced as a whole, where that can be done. */
#define MANY 16

/* -- which they are ---------------------------------------------------------------------------- */

bool leftovers_know(const struct leftovers *l, const struct journal_step *step) {
    char above[PATH_BYTES_MAX + 1];
    (void)parent_path(step->path, above);
    for (size_t i = 0; i < l->n; i++)
        if (l->all[i].root == step->root && strcmp(l->all[i].path, above) == 0)
            return true;
    return false;
}

void leftovers_add(struct leftovers *l, const struct journal_step *step) {
    char above[PATH_BYTES_MAX + 1];
    if (leftovers_know(l, step))
        return;
    struct directory *all = array_with_room(l->all, l->n, &l->room, sizeof *all);
    if (!all)
        return;
    l->all = all;
    (void)parent_path(step->path, above);
    struct directory added = {step->root, strdup(above)};
    if (added.path)
        l->all[l->n++] = added;
}

void leftovers_free(struct leftovers *l) {
    for (size_t i = 0; i < l->n; i++)
        free(l->all[i].path);
    free(l->all);
    *l = (struct leftovers){0};
}

/* -- what is in them --------------------------------------------------------------------------- */

/* A directory that is gone has nothing left. */
static bool is_directory_gone(int code) {
    return code == AQFS_NOT_FOUND || code == AQFS_NOT_A_DIRECTORY;
}

static int open_directory(struct aqfs_workspace *ws, const struct directory *d, struct node *out) {
    struct error ignored;
    return ws->backend->open(ws, &ws->roots[d->root], d->path, OPEN_DIRECTORY, out, &ignored);
}

/* Many of them at once, where that can be done.  False where it cannot, or fails. */
static bool sync_whole(struct aqfs_workspace *ws, const struct leftovers *l) {
    AUTO(node_close) struct node top = {0};
    struct error ignored;
    char empty[] = "";
    const struct directory any = {l->all[0].root, empty};
    for (size_t i = 0; i < l->n; i++)
        if (l->all[i].root != any.root)
            return false;
    return ws->backend->settles_whole && open_directory(ws, &any, &top) == AQFS_OK &&
           ws->backend->settles_whole(&top) && ws->backend->settle_whole(&top, &ignored) == AQFS_OK;
}

bool leftovers_sync(struct aqfs_workspace *ws, const struct leftovers *l) {
    bool all = true;
    if (l->n >= MANY && sync_whole(ws, l))
        return true;
    for (size_t i = 0; i < l->n; i++) {
        AUTO(node_close) struct node dir = {0};
        struct error ignored;
        int code = open_directory(ws, &l->all[i], &dir);
        if (!is_directory_gone(code))
            all = !code && ws->backend->sync(&dir, &ignored) == AQFS_OK && all;
    }
    return all;
}

struct leftover_sweep {
    struct aqfs_workspace *ws;
    const struct node *dir;
    const char *owner;
    bool failed;
};

static int sweep_entry(void *data, const char *name, size_t n, enum node_type type) {
    struct leftover_sweep *s = data;
    struct error ignored;
    struct info info;
    (void)n, (void)type; /* not every file system tells the type */
    if (!temporary_is_shared(name, s->owner))
        return AQFS_OK;
    int code = s->ws->backend->stat_below(s->dir, name, &info, &ignored);
    if (!code)
        code = info.type == NODE_DIRECTORY ? tree_remove(s->ws, s->dir, name, &ignored)
                                           : s->ws->backend->remove(s->dir, name, false, &ignored);
    s->failed = s->failed || (code && code != AQFS_NOT_FOUND);
    return AQFS_OK;
}

static bool sweep_directory(struct aqfs_workspace *ws, const struct directory *d,
                            const char *owner) {
    AUTO(node_close) struct node dir = {0};
    struct error ignored;
    int code = open_directory(ws, d, &dir);
    if (code)
        return is_directory_gone(code);
    struct leftover_sweep s = {.ws = ws, .dir = &dir, .owner = owner};
    if (ws->backend->list(&dir, sweep_entry, &s, &ignored) || s.failed)
        return false;
    return ws->backend->sync(&dir, &ignored) == AQFS_OK;
}

bool leftovers_remove(struct aqfs_workspace *ws, const struct leftovers *l, const char *owner) {
    bool all = true;
    for (size_t i = 0; i < l->n; i++)
        all = sweep_directory(ws, &l->all[i], owner) && all;
    return all;
}
