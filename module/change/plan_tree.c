/* plan_tree.c -- a directory that is deleted or moved with what is below it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "plan_tree.h"

#include "cleanup.h"
#include "protect.h"
#include "repository.h"
#include "secret.h"
#include "walk.h"

#include <string.h>

/* Sets PATH to the path of REF below TOP; it stays empty where that would be too long. */
static int walked_path(struct work *work, const struct place *top, struct walk_ref ref,
                       struct buf *path) {
    char full[PATH_BYTES_MAX + 1];
    if (!walk_full_path(top, ref.dir, full))
        return AQFS_OK;
    buf_printf(path, "%s/%s", full, ref.entry->name);
    return path->failed ? fail_memory(&work->error) : AQFS_OK;
}

/* -- may it be emptied? ------------------------------------------------------------------------ */

struct emptying {
    struct work *work;
    const struct place *at;
    struct info top; /* of the directory */
};

/* Deleting what is in a directory needs permission to write to that directory.  An empty one needs
 * none. */
static int check_writable(struct work *work, const struct place *at, const struct walk_dir *dir) {
    char full[PATH_BYTES_MAX + 1], label[PATH_LABEL];
    AUTO(node_close) struct node node = {0};
    if (dir->n == 0 || !walk_full_path(at, dir, full))
        return AQFS_OK;
    int code =
        work->ws->backend->open(work->ws, at->root, full, OPEN_DIRECTORY, &node, &work->error);
    if (code || work->ws->backend->may(&node, true))
        return code;
    return fail(&work->error, AQFS_PERMISSION,
                "Nothing in the directory '%s' may be deleted: it is not writable",
                path_label(full, strlen(full), label));
}

static bool is_mounted_below(const struct emptying *e, const struct walk_entry *entry) {
    const struct info *info = entry->info;
    return (entry->dir && entry->dir->error == AQFS_OUTSIDE_ROOT) ||
           (info && !info_shares_mount(info, &e->top));
}

static int check_entry_goes(void *data, struct walk_ref ref) {
    const struct emptying *e = data;
    AUTO(buf_free) struct buf path = {0};
    char label[PATH_LABEL];
    if (!is_mounted_below(e, ref.entry))
        return ref.entry->dir ? check_writable(e->work, e->at, ref.entry->dir) : AQFS_OK;
    int code = walked_path(e->work, e->at, ref, &path);
    return code ? code
                : fail(&e->work->error, AQFS_OUTSIDE_ROOT,
                       "'%s' is mounted from elsewhere, so the directory around it is not deleted",
                       path_label(path.data ? path.data : "", path.len, label));
}

/* Asked before anything is done: a tree that has lost its name already, and cannot be emptied,
 * would be left behind.  A directory mounted in it belongs elsewhere. */
static int check_can_be_emptied(struct work *work, const struct place *at,
                                const struct walk *walk) {
    AUTO(node_close) struct node top = {0};
    int code = check_writable(work, at, walk->start);
    if (!code && walk->start->n > 0)
        code = work->ws->backend->open(work->ws, at->root, at->path, OPEN_DIRECTORY, &top,
                                       &work->error);
    struct emptying e = {.work = work, .at = at};
    if (!code && top.backend)
        code = top.backend->stat(&top, &e.top, &work->error);
    return code ? code : walk_each(walk, check_entry_goes, &e);
}

/* -- is something in the tree protected, where it is or where it will be? --------------------- */

struct protection_search {
    struct work *work;
    const struct place *top;
    bool found;
};

/* Is ENTRY the HEAD of a repository, by whatever name that goes? */
static bool is_head(struct walk_ref ref) {
    unsigned parts = 0;
    if (repository_part(ref.entry->name, ref.entry->name_len) != REPOSITORY_HEAD)
        return false;
    for (size_t i = 0; i < ref.dir->n; i++)
        parts |= repository_part(ref.dir->entries[i].name, ref.dir->entries[i].name_len);
    return repository_is_whole(parts);
}

static int find_protected(void *data, struct walk_ref ref) {
    struct protection_search *s = data;
    AUTO(buf_free) struct buf path = {0};
    int code = walked_path(s->work, s->top, ref, &path);
    if (code || !path.len)
        return code;
    s->found = is_head(ref) || protect_level(s->work->ws, s->top->root, path.data) != PROTECT_NONE;
    return s->found ? -1 : AQFS_OK;
}

/* Sets CHANGE's `protects` if something of WALK would be protected below TOP. */
static int look_for_protected(struct work *work, const struct walk *walk, const struct place *top,
                              struct change *change) {
    struct protection_search s = {.work = work, .top = top};
    int code = walk_each(walk, find_protected, &s);
    change->protects = change->protects || s.found;
    return s.found ? AQFS_OK : code;
}

/* -- is something in the tree secret, where it is? -------------------------------------------- */

struct secret_search {
    struct work *work;
    const struct place *top;
    const struct secret_group *found;
};

static int find_secret(void *data, struct walk_ref ref) {
    struct secret_search *s = data;
    AUTO(buf_free) struct buf path = {0};
    int code = walked_path(s->work, s->top, ref, &path);
    if (code || !path.len)
        return code;
    bool is_directory = ref.entry->type == NODE_DIRECTORY;
    s->found = secret_by_path(s->work->ws, s->top->root, path.data, is_directory);
    return s->found ? -1 : AQFS_OK;
}

/* Sets CHANGE's `below_secret`: under a new name, what lies there might be no secret any more. */
static int look_for_secrets(struct work *work, const struct walk *walk, const struct place *top,
                            struct change *change) {
    struct secret_search s = {.work = work, .top = top};
    if (work->origin != ORIGIN_MODEL || !work->ws->secrets)
        return AQFS_OK;
    int code = walk_each(walk, find_secret, &s);
    change->below_secret = s.found;
    return s.found ? AQFS_OK : code;
}

/* -- what a tree holds, as a hash: names, types, sizes, times and inodes ----------------------- */

struct tree_hash {
    struct hash hash;
    int64_t entries;
};

static int hash_entry(void *data, struct walk_ref ref) {
    struct tree_hash *t = data;
    int64_t facts[] = {ref.entry->type, ref.entry->size, ref.entry->modified_ns};
    hash_add(&t->hash, ref.dir->path, ref.dir->path_len + 1U);
    hash_add(&t->hash, ref.entry->name, ref.entry->name_len + 1U);
    hash_add(&t->hash, facts, sizeof facts);
    t->entries++;
    return AQFS_OK;
}

/* -- the whole -------------------------------------------------------------------------------- */

int plan_tree(struct work *work, struct change *change, const struct place *at,
              char hex[HASH_HEX]) {
    AUTO(walk_free) struct walk walk = {0};
    struct walk_options options = {
        .stat = true, .info = change->kind == CHANGE_DELETE, .order = WALK_BY_PATH};
    struct tree_hash t = {0};
    int code = walk_run(work->ws, at, &options, &work->budget, &walk, &work->error);
    if (code)
        return code;
    if (walk.cut || walk.unreadable > 0)
        return fail(&work->error, walk.cut ? AQFS_LIMIT : AQFS_PERMISSION,
                    "The directory cannot be looked through, so it is left alone");
    change->protects = false;
    if (change->kind == CHANGE_DELETE)
        code = check_can_be_emptied(work, at, &walk);
    if (!code)
        code = look_for_protected(work, &walk, at, change);
    if (!code && change->kind == CHANGE_MOVE)
        code = look_for_protected(work, &walk, &change->at, change);
    if (!code && change->kind == CHANGE_MOVE)
        code = look_for_secrets(work, &walk, at, change);
    hash_start(&t.hash);
    walk_each(&walk, hash_entry, &t);
    hash_end(&t.hash, hex);
    change->is_tree = true;
    change->entries = t.entries;
    return code;
}
