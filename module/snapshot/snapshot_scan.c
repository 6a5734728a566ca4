/* snapshot_scan.c -- the workspace as it is now, as a tree of git's names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_scan.h"

#include "cleanup.h"
#include "clock.h"
#include "ignore.h"
#include "snapshot_cache.h"

#include <string.h>

/* -- what is left out ----------------------------------------------------------------------------
 */

void scan_leave_out(struct scan *scan, struct walk_ref ref, const char *why) {
    char path[WALK_PATH_MAX];
    struct snapshot_report *report = scan->report;
    struct scan_dir *here = ref.dir->user;
    (void)walk_path(ref.dir, ref.entry, path);
    if (here)
        atomic_store(&here->partial, true);
    pthread_mutex_lock(&scan->lock);
    if (report->left_out_n < LEFT_OUT_SHOWN)
        report->left_out[report->left_out_n] = (struct left_out){strdup(path), why};
    report->left_out_n++;
    pthread_mutex_unlock(&scan->lock);
}

int fail_unseen(struct scan *scan, struct walk_ref ref) {
    char path[WALK_PATH_MAX], label[PATH_LABEL];
    size_t n = walk_path(ref.dir, ref.entry, path);
    return fail(&scan->work->error, AQFS_SNAPSHOT, "'%s' cannot be looked at",
                path_label(path, n, label));
}

/* -- files ---------------------------------------------------------------------------------------
 */

struct gathering {
    struct scan *scan;
    struct cache cache;
};

static int gather(void *data, struct walk_ref ref) {
    struct gathering *g = data;
    struct scan *scan = g->scan;
    const struct walk_entry *entry = ref.entry;
    char path[WALK_PATH_MAX];
    if (entry->type == NODE_DIRECTORY)
        return AQFS_OK;
    struct scan_file *f = &scan->files[scan->files_n++];
    *f = (struct scan_file){.ref = ref};
    if (entry->info && entry->info->type != entry->type) /* exchanged meanwhile */
        return AQFS_OK;
    f->item.kind = entry->type == NODE_SYMLINK ? ITEM_LINK : ITEM_FILE;
    f->item.info = entry->info;
    (void)walk_path(ref.dir, entry, path);
    if (!entry->info || !cache_find(&g->cache, path, entry->info, &f->item.oid))
        scan->read[scan->read_n++] = f;
    return AQFS_OK;
}

static int hash_files(struct scan *scan) {
    struct gathering g = {.scan = scan};
    size_t most = (size_t)(scan->walk.files + scan->walk.others) + 1;
    scan->files = calloc(most, sizeof *scan->files);
    scan->read = calloc(most, sizeof(struct scan_file *));
    if (!scan->files || !scan->read)
        return fail_memory(&scan->work->error);
    cache_load(scan->work, scan->store, &g.cache);
    (void)walk_each(&scan->walk, gather, &g);
    memcpy(scan->cache_id, g.cache.id, SNAPSHOT_ID);
    cache_free(&g.cache);
    return scan_hash(scan, scan->read, scan->read_n);
}

void scan_remember(const struct scan *scan, const struct store *store, const char *id) {
    AUTO(buf_free) struct buf bytes = {0};
    char path[WALK_PATH_MAX];
    cache_begin(&bytes);
    for (size_t i = 0; i < scan->files_n; i++) {
        const struct scan_file *f = &scan->files[i];
        if (f->item.kind == ITEM_NONE)
            continue;
        (void)walk_path(f->ref.dir, f->ref.entry, path);
        cache_add(&bytes, path, f->item.info, &f->item.oid, scan->since_ns);
    }
    cache_save(scan->work, store, id, &bytes);
}

/* -- trees ---------------------------------------------------------------------------------------
 */

struct building {
    struct scan *scan;
    struct scan_file *next;
    struct zip *zip; /* where objects are kept */
};

static int keep_tree(struct building *b, const struct tree *tree, struct oid *oid) {
    struct scan *scan = b->scan;
    AUTO(buf_free) struct buf bytes = {0};
    buf_str(&bytes, "");
    tree_write(tree, &bytes);
    if (bytes.failed)
        return fail_memory(&scan->work->error);
    int code = store_name(OBJECT_TREE, bytes.data, bytes.len, oid, &scan->work->error);
    if (!code && scan->pack)
        code = store_add(scan->store, scan->pack, b->zip,
                         &(struct object){OBJECT_TREE, bytes.data, bytes.len, *oid},
                         &scan->work->error);
    return code;
}

static int build(struct building *b, const struct walk_dir *dir, struct tree **out,
                 struct item *item);

/* Does CODE say that a directory cannot be read at all, is elsewhere, or has gone?  Any other error
 * may be gone the next time, and to take the directory for empty would be wrong. */
static bool is_reason(int code) {
    return code == AQFS_OK || code == AQFS_PERMISSION || code == AQFS_OUTSIDE_ROOT ||
           code == AQFS_NOT_FOUND || code == AQFS_RACED || code == AQFS_TOO_LONG;
}

/* A directory that was not read is left out. */
static int build_below(struct building *b, struct walk_ref ref, struct tree_entry *out) {
    const struct walk_entry *entry = ref.entry;
    const struct walk_dir *dir = entry->dir;
    if (dir && (!is_reason(dir->error) || (!entry->info && !dir->error)))
        return fail_unseen(b->scan, ref);
    if (!entry->info || entry->info->type != NODE_DIRECTORY)
        return AQFS_OK;
    if (!dir || dir->error) {
        bool mount = dir && dir->error == AQFS_OUTSIDE_ROOT;
        scan_leave_out(b->scan, ref, mount ? "mount" : "unreadable");
    }
    if (!dir || (dir->error && dir->n == 0))
        return AQFS_OK;
    out->item = (struct item){
        .kind = ITEM_DIRECTORY, .mode = entry->info->mode & 0777, .info = entry->info};
    return build(b, dir, &out->below, &out->item);
}

static int build_entry(struct building *b, struct walk_ref ref, struct tree_entry *out) {
    *out = (struct tree_entry){.name = ref.entry->name, .len = ref.entry->name_len};
    if (ref.entry->type == NODE_DIRECTORY)
        return build_below(b, ref, out);
    if (!b->next) /* scan_keep builds nothing: it keeps what was built */
        return AQFS_OK;
    out->item = (b->next++)->item;
    if (out->item.kind == ITEM_FILE && out->item.info)
        out->item.mode = out->item.info->mode & 0777;
    b->scan->report->files += out->item.kind != ITEM_NONE;
    return AQFS_OK;
}

/* Recursion is as deep as the walk. */
static int build(struct building *b, const struct walk_dir *dir, struct tree **out,
                 struct item *item) {
    const struct scan_dir *here = dir->user;
    bool partial = false, kept = false;
    struct tree *tree = arena_take(&b->scan->arena, sizeof *tree);
    if (tree)
        *tree = (struct tree){.entries =
                                  arena_take(&b->scan->arena, dir->n * sizeof *tree->entries + 1)};
    if (!tree || !tree->entries)
        return fail_memory(&b->scan->work->error);
    for (size_t i = 0; i < dir->n; i++) {
        struct tree_entry *entry = &tree->entries[tree->n];
        int code =
            build_entry(b, (struct walk_ref){(struct walk_dir *)dir, &dir->entries[i]}, entry);
        if (code)
            return code;
        tree->n += entry->item.kind != ITEM_NONE;
        partial = partial || entry->item.hollow;
        kept = kept || (entry->item.kind != ITEM_NONE && !entry->item.hollow);
    }
    item->hollow = !kept && (partial || (here && atomic_load(&here->partial)));
    *out = tree;
    return keep_tree(b, tree, &item->oid);
}

/* -- the whole -----------------------------------------------------------------------------------
 */

static int walk_project(struct scan *scan) {
    struct work *work = scan->work;
    struct place top = {.root = &work->ws->roots[0], .type = NODE_DIRECTORY};
    struct walk_options options = {.stat = true,
                                   .info = true,
                                   .order = WALK_BY_PATH,
                                   .filter = scan_filter,
                                   .filter_data = scan,
                                   .progress = work->progress,
                                   .progress_data = work->progress_data};
    int code = walk_run(work->ws, &top, &options, &work->budget, &scan->walk, &work->error);
    if (code)
        return code;
    if (scan->unread_code) {
        work->error = scan->unread;
        return scan->unread_code;
    }
    if (scan->walk.cut)
        return fail(&work->error, AQFS_LIMIT,
                    "The project has more files than limits.walk_entries and limits.walk_depth "
                    "let a snapshot look at");
    if (scan->walk.start->error)
        return fail(&work->error, AQFS_SNAPSHOT, "The project's root cannot be read");
    return AQFS_OK;
}

static int build_top(struct scan *scan) {
    struct building b = {.scan = scan, .next = scan->files};
    struct item top = {0};
    b.zip = scan->pack ? zip_new() : NULL;
    bool ready = scan->files && (b.zip || !scan->pack);
    int code = ready ? AQFS_OK : fail_memory(&scan->work->error);
    code = code ? code : build(&b, scan->walk.start, &scan->top, &top);
    zip_free(b.zip);
    scan->oid = top.oid;
    return code;
}

int scan_run(struct scan *scan) {
    scan->since_ns = clock_wall_ns();
    pthread_mutex_init(&scan->lock, NULL);
    int code = walk_project(scan);
    code = code ? code : hash_files(scan);
    return code ? code : build_top(scan);
}

/* A directory that is kept is kept with all below it. */
static int keep_trees(struct building *b, const struct tree *tree, const struct oid *oid) {
    struct oid same;
    int code = AQFS_OK;
    if (store_has(b->scan->store, oid) || pack_has(b->scan->pack, oid))
        return AQFS_OK;
    for (size_t i = 0; !code && i < tree->n; i++)
        if (tree->entries[i].below)
            code = keep_trees(b, tree->entries[i].below, &tree->entries[i].item.oid);
    return code ? code : keep_tree(b, tree, &same);
}

/* Reads once more what was read: are they still the same bytes? */
static int keep_files(struct scan *scan) {
    AUTO_FREE struct oid *before = calloc(scan->read_n + 1, sizeof *before);
    if (!before)
        return fail_memory(&scan->work->error);
    for (size_t i = 0; i < scan->read_n; i++)
        before[i] = scan->read[i]->item.oid;
    int code = scan_hash(scan, scan->read, scan->read_n);
    for (size_t i = 0; !code && i < scan->read_n; i++)
        if (!oid_equal(&before[i], &scan->read[i]->item.oid))
            code = fail(&scan->work->error, AQFS_STALE,
                        "A file has changed since it was looked at: nothing was done");
    return code;
}

/* The files that the cache knew are in the store.  Those that were read may have to be added. */
int scan_keep(struct scan *scan, const struct store *store, struct pack *pack) {
    const struct store *looked = scan->store;
    if (!cache_holds(store, scan->cache_id))
        return fail(&scan->work->error, AQFS_STALE,
                    "Snapshots were forgotten meanwhile: nothing was done");
    scan->store = store;
    scan->pack = pack;
    struct building b = {.scan = scan, .zip = zip_new()};
    int code = b.zip ? keep_files(scan) : fail_memory(&scan->work->error);
    code = code ? code : keep_trees(&b, scan->top, &scan->oid);
    zip_free(b.zip);
    scan->store = looked;
    scan->pack = NULL;
    return code;
}

void scan_free(struct scan *scan) {
    while (scan->dirs) {
        struct scan_dir *next = scan->dirs->next;
        ignore_free(scan->dirs->rules);
        free(scan->dirs);
        scan->dirs = next;
    }
    walk_free(&scan->walk);
    arena_free(&scan->arena);
    free(scan->files);
    free(scan->read);
    pthread_mutex_destroy(&scan->lock);
}
