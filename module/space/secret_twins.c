/* secret_twins.c -- files and directories that have a secret name beside the one at hand.
 *
 * A hard link, or the target of a link, does not show its other name.  So the roots
 * are walked for secret names, when a model wants to read something that has none,
 * and what was found is used for a while: for a second, or for twenty times as long
 * as the walk took.  A file that got a name since then shows that by its time of
 * change.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "clock.h"
#include "node.h"
#include "path.h"
#include "secrets.h"
#include "walk.h"

#include <stdlib.h>
#include <string.h>

/* How far the tree is walked: as many levels as there are, or only the upper ones if that takes too
 * long.  Links with a secret name mostly lie there.  The tree counts as known in part then. */
static const struct {
    int64_t levels, longest_ns;
} walks_for_secrets[] = {{0, 500000000}, {4, 100000000}, {2, 100000000}};

#define SHORTEST_NS INT64_C(1000000000)
#define PART_OF_TIME 20

/* A file's time of change may be that much older than the moment of the change. */
#define TICK_OF_TIMES_NS INT64_C(50000000)

void secret_twins_clear(struct secret_twins *t) {
    for (size_t i = 0; i < t->target_n; i++)
        free(t->targets[i].path);
    free(t->targets);
    free(t->files);
    t->targets = NULL;
    t->files = NULL;
    t->target_n = t->file_n = 0;
}

/* -- collecting -------------------------------------------------------------------------------- */

struct twin_search {
    struct work *work;
    struct secret_twins *twins;
    struct place top;
};

static bool has_secret_name(const void *data, struct walk_ref ref) {
    const struct twin_search *s = data;
    char path[WALK_PATH_MAX];
    if (ref.entry->type == NODE_DIRECTORY)
        return false;
    (void)walk_path(ref.dir, ref.entry, path);
    return secret_by_path(s->work->ws, s->top.root, path, false) != NULL;
}

static bool add_twin_file(struct secret_twins *t, const struct info *info) {
    struct file_identity *grown = realloc(t->files, (t->file_n + 1) * sizeof *grown);
    if (!grown)
        return false;
    t->files = grown;
    t->files[t->file_n++] = (struct file_identity){info->device, info->inode};
    return true;
}

static bool add_twin_target(struct secret_twins *t, const struct place *place) {
    struct secret_target *grown = realloc(t->targets, (t->target_n + 1) * sizeof *grown);
    if (!grown)
        return false;
    t->targets = grown;
    struct secret_target *target = &t->targets[t->target_n];
    *target = (struct secret_target){place->root, strdup(place->path), place->len};
    t->target_n += target->path != NULL;
    return target->path != NULL;
}

/* The place that PATH, below the top, leads to: AQFS_OK and nothing in PLACE if that is none. */
static int follow_secret_link(struct twin_search *s, const char *path) {
    AUTO(buf_free) struct buf shown = {0}, given = {0};
    struct place place;
    struct error e;
    place_show(s->work->ws, s->top.root, path, strlen(path), &shown);
    path_show(&given, shown.data ? shown.data : "", shown.len);
    if (shown.failed || given.failed)
        return fail_memory(&s->work->error);
    struct text_ref spelled = {given.data, given.len};
    if (workspace_locate(s->work->ws, spelled, LOCATE_MISSING, &place, &e))
        return AQFS_OK; /* it leads out of what can be read */
    if (place.type == NODE_DIRECTORY && !secret_by_path(s->work->ws, s->top.root, path, true))
        return AQFS_OK;
    return add_twin_target(s->twins, &place) ? AQFS_OK : fail_memory(&s->work->error);
}

static int take_secret(void *data, struct walk_ref ref) {
    struct twin_search *s = data;
    const struct backend *backend = s->work->ws->backend;
    char path[WALK_PATH_MAX];
    struct error e;
    AUTO(node_close) struct node node = {0};
    if (!ref.entry->shown)
        return AQFS_OK;
    size_t n = walk_path(ref.dir, ref.entry, path);
    if (n > PATH_BYTES_MAX)
        return AQFS_OK;
    if (ref.entry->type == NODE_SYMLINK)
        return follow_secret_link(s, path);
    if (backend->open(s->work->ws, s->top.root, path, OPEN_ANY, &node, &e) || node.info.links < 2)
        return AQFS_OK;
    return add_twin_file(s->twins, &node.info) ? AQFS_OK : fail_memory(&s->work->error);
}

/* Walks LEVELS of the top, and takes what is found.  *WHOLE: there was time and room for all. */
static int walk_for_secrets(struct twin_search *s, const struct glob_set *exclude, int64_t levels,
                            int64_t longest_ns, bool *whole) {
    AUTO(walk_free) struct walk walk = {0};
    struct work *work = s->work;
    struct walk_options options = {.exclude = exclude,
                                   .max_depth = levels,
                                   .shows = has_secret_name,
                                   .shows_data = s,
                                   .shown_only = true};
    struct budget budget = {.cancelled = work->budget.cancelled,
                            .watch = work->budget.watch,
                            .watcher = work->budget.watcher,
                            .deadline_ns = clock_now_ns() + longest_ns};
    int code = walk_run(work->ws, &s->top, &options, &budget, &walk, &work->error);
    *whole = code != AQFS_LIMIT && !walk.cut;
    if (code)
        return code == AQFS_LIMIT ? AQFS_OK : code;
    return walk_each(&walk, take_secret, s);
}

static int look_in_root(struct work *work, struct secret_twins *t, const struct root *root) {
    AUTO(glob_set_free) struct glob_set exclude = {0};
    const char *const repository[] = {".git"};
    const size_t lengths[] = {4};
    struct twin_search s = {
        .work = work, .twins = t, .top = {.root = root, .type = NODE_DIRECTORY}};
    bool whole = false;
    int code = glob_set_compile(&exclude, repository, lengths, 1, &work->error);
    for (size_t i = 0; !code && !whole && i < sizeof walks_for_secrets / sizeof *walks_for_secrets;
         i++) {
        code = walk_for_secrets(&s, &exclude, walks_for_secrets[i].levels,
                                walks_for_secrets[i].longest_ns, &whole);
        t->cut = t->cut || !whole;
    }
    return code;
}

/* Looks in all roots but the one of the whole machine, which an unrestricted workspace has. */
static int look_in_roots(struct work *work, struct secret_twins *t) {
    int64_t begun = clock_now_ns();
    int code = AQFS_OK;
    secret_twins_clear(t);
    t->cut = false;
    t->made_ns = clock_wall_ns();
    for (size_t i = 0; !code && i < work->ws->root_count; i++) {
        if (work->ws->roots[i].len == 0)
            t->cut = true;
        else
            code = look_in_root(work, t, &work->ws->roots[i]);
    }
    int64_t ended = clock_now_ns(), lasts = (ended - begun) * PART_OF_TIME;
    t->fresh_until_ns = code ? 0 : ended + (lasts > SHORTEST_NS ? lasts : SHORTEST_NS);
    return code;
}

/* Perhaps INFO has got a name since the last look. */
static bool may_be_newer(const struct secret_twins *t, const struct info *info) {
    return info->links > 1 && info->changed_ns > t->made_ns - TICK_OF_TIMES_NS;
}

int secret_twins_look(struct work *work, const struct info *info) {
    if (!work->ws->secrets)
        return AQFS_OK;
    struct secret_twins *t = &work->ws->secrets->twins;
    pthread_mutex_lock(&t->lock);
    bool got_a_name = info && may_be_newer(t, info);
    int code = AQFS_OK;
    if (got_a_name || clock_now_ns() >= t->fresh_until_ns)
        code = look_in_roots(work, t);
    pthread_mutex_unlock(&t->lock);
    return code;
}

/* -- asking ------------------------------------------------------------------------------------ */

bool secret_twins_lead_to(const struct aqfs_workspace *ws, const struct place *place) {
    bool leads = false;
    if (!ws->secrets)
        return false;
    struct secret_twins *t = &ws->secrets->twins;
    pthread_mutex_lock(&t->lock);
    for (size_t i = 0; !leads && i < t->target_n; i++)
        leads = t->targets[i].root == place->root &&
                path_is_below(place->path, place->len, t->targets[i].path, t->targets[i].len);
    pthread_mutex_unlock(&t->lock);
    return leads;
}

static bool is_twin_file(const struct secret_twins *t, const struct info *info) {
    bool found = false;
    for (size_t i = 0; !found && i < t->file_n; i++)
        found = t->files[i].inode == info->inode && t->files[i].device == info->device;
    return found;
}

/* FOUND becomes whether INFO was found, and OPEN whether there may be what was not. */
static void ask_for_twin(const struct aqfs_workspace *ws, const struct info *info, bool *found,
                         bool *open) {
    *found = *open = false;
    if (!ws->secrets || info->links < 2 || info->type == NODE_DIRECTORY)
        return;
    struct secret_twins *t = &ws->secrets->twins;
    pthread_mutex_lock(&t->lock);
    *found = is_twin_file(t, info);
    *open = t->cut || may_be_newer(t, info);
    pthread_mutex_unlock(&t->lock);
}

bool secret_twins_have(const struct aqfs_workspace *ws, const struct info *info) {
    bool found, open;
    ask_for_twin(ws, info, &found, &open);
    return found;
}

bool secret_twins_may_have(const struct aqfs_workspace *ws, const struct info *info) {
    bool found, open;
    ask_for_twin(ws, info, &found, &open);
    return found || open;
}

bool secret_twins_are_cut(const struct aqfs_workspace *ws) {
    if (!ws->secrets)
        return false;
    struct secret_twins *t = &ws->secrets->twins;
    pthread_mutex_lock(&t->lock); /* another call may be looking */
    bool cut = t->cut;
    pthread_mutex_unlock(&t->lock);
    return cut;
}
