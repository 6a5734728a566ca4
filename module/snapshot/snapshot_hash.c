/* snapshot_hash.c -- the names of the bytes that files hold, with several threads.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "snapshot_scan.h"
#include "workers.h"

#include <errno.h>
#include <string.h>

/* Files that a worker takes at once: mostly of one directory, which is opened once for them. */
#define TAKEN 32

/* How often a file that changes while it is read is read again.  Then it is taken as it is. */
#define TRIES 3

struct hash_crew {
    struct scan *scan;
    struct scan_file **files;
    size_t n;
    _Atomic size_t next;
    pthread_mutex_t lock; /* guards the two below */
    int code;
    struct error error;
};

struct hash_worker {
    struct hash_crew *crew;
    struct zip *zip;
    struct buf bytes;
    struct node dir;
    const struct walk_dir *open; /* what `dir` is, or NULL */
    struct error error;
};

static const struct place *top_of(const struct scan *scan, struct place *room) {
    *room = (struct place){.root = &scan->work->ws->roots[0], .type = NODE_DIRECTORY};
    return room;
}

static int fail_unread(struct hash_worker *w) {
    return fail(&w->error, AQFS_IO, "It cannot be read");
}

static int open_hashed_dir(struct hash_worker *w, const struct walk_dir *dir) {
    struct aqfs_workspace *ws = w->crew->scan->work->ws;
    char full[PATH_BYTES_MAX + 1];
    struct place top;
    if (w->open == dir)
        return AQFS_OK;
    node_close(&w->dir);
    w->open = NULL;
    if (!walk_full_path(top_of(w->crew->scan, &top), dir, full))
        return AQFS_NOT_FOUND;
    int code = ws->backend->open(ws, top.root, full, OPEN_DIRECTORY, &w->dir, &w->error);
    if (!code)
        w->open = dir;
    return code;
}

static bool is_unchanged(const struct info *a, const struct info *b) {
    return a->size == b->size && a->modified_ns == b->modified_ns && a->changed_ns == b->changed_ns;
}

/* Reads an open file, and notes how it looked then. */
static int read_steady_file(struct hash_worker *w, const struct node *file, struct info *seen) {
    struct scan *scan = w->crew->scan;
    for (int tries = 0; tries < TRIES; tries++) {
        struct node now = *file;
        int code = file->backend->stat(file, &now.info, &w->error);
        if (code)
            return code;
        if (now.info.size > scan->work->ws->limits.read_bytes)
            return AQFS_TOO_LARGE;
        buf_clear(&w->bytes);
        if (!buf_reserve(&w->bytes, (size_t)now.info.size + 1))
            return fail_memory(&w->error);
        ssize_t n = file->backend->read(&now, w->bytes.data, (size_t)now.info.size, 0);
        if (n < 0)
            return n == -EACCES ? AQFS_PERMISSION : fail_unread(w);
        w->bytes.len = (size_t)n;
        code = file->backend->stat(file, seen, &w->error);
        if (code || is_unchanged(&now.info, seen))
            return code;
    }
    pthread_mutex_lock(&scan->lock);
    scan->report->changing++;
    pthread_mutex_unlock(&scan->lock);
    return AQFS_OK;
}

/* Looks at an entry once more that the walk could not look at. */
static int look_again(struct hash_worker *w, struct scan_file *f) {
    struct scan *scan = w->crew->scan;
    const struct backend *backend = scan->work->ws->backend;
    pthread_mutex_lock(&scan->lock);
    struct info *info = arena_take(&scan->arena, sizeof *info);
    pthread_mutex_unlock(&scan->lock);
    if (!info)
        return fail_memory(&w->error);
    int code = backend->stat_below(&w->dir, f->ref.entry->name, info, &w->error);
    if (code && code != AQFS_NOT_FOUND)
        return fail_unread(w);
    f->ref.entry->info = info;
    f->item.info = info;
    return code;
}

static int read_item_bytes(struct hash_worker *w, struct scan_file *f) {
    const struct walk_entry *entry = f->ref.entry;
    const struct backend *backend = w->crew->scan->work->ws->backend;
    AUTO(node_close) struct node file = {0};
    int code = open_hashed_dir(w, f->ref.dir);
    if (!code && !entry->info)
        code = look_again(w, f);
    if (code)
        return code;
    if (f->item.kind == ITEM_LINK) {
        buf_clear(&w->bytes);
        return backend->readlink_below(&w->dir, entry->name, &w->bytes, &w->error);
    }
    code = backend->open_below(&w->dir, entry->name, OPEN_FILE, &file, &w->error);
    return code || !entry->info ? code : read_steady_file(w, &file, entry->info);
}

static int name_bytes(struct hash_worker *w, struct scan_file *f) {
    struct scan *scan = w->crew->scan;
    const char *bytes = w->bytes.data ? w->bytes.data : "";
    if (w->bytes.failed)
        return fail_memory(&w->error);
    int code = store_name(OBJECT_BLOB, bytes, w->bytes.len, &f->item.oid, &w->error);
    if (!code && scan->pack)
        code =
            store_add(scan->store, scan->pack, w->zip,
                      &(struct object){OBJECT_BLOB, bytes, w->bytes.len, f->item.oid}, &w->error);
    return code;
}

/* The reason why a file is left out, or NULL if CODE gives none.  Another name of what is
 * restricted cannot be read, either. */
static const char *why_not(int code) {
    bool is_refused = code == AQFS_PERMISSION || code == AQFS_RESTRICTED;
    return code == AQFS_TOO_LARGE      ? "too-large"
           : code == AQFS_OUTSIDE_ROOT ? "mount"
           : is_refused                ? "unreadable"
                                       : NULL;
}

/* It has gone, or is something else now. */
static bool is_gone(int code) {
    return code == AQFS_NOT_FOUND || code == AQFS_RACED || code == AQFS_NOT_REGULAR ||
           code == AQFS_IS_DIRECTORY;
}

static int take_scan_file(struct hash_worker *w, struct scan_file *f) {
    int code = read_item_bytes(w, f);
    if (!code)
        return name_bytes(w, f);
    if (!is_gone(code) && !why_not(code)) {
        if (code == AQFS_LIMIT || code == AQFS_CANCELLED)
            return code;
        char label[PATH_LABEL], path[WALK_PATH_MAX];
        size_t n = walk_path(f->ref.dir, f->ref.entry, path);
        return fail(&w->error, AQFS_SNAPSHOT, "'%s' cannot be read", path_label(path, n, label));
    }
    f->item.kind = ITEM_NONE;
    if (why_not(code))
        scan_leave_out(w->crew->scan, f->ref, why_not(code));
    return AQFS_OK;
}

static void stop_hashing(struct hash_crew *c, int code, const struct error *e) {
    pthread_mutex_lock(&c->lock);
    if (!c->code) {
        c->code = code;
        c->error = *e;
    }
    pthread_mutex_unlock(&c->lock);
    atomic_store(&c->next, c->n);
}

static void run_hash_worker(void *data, unsigned i) {
    struct hash_crew *c = data;
    struct hash_worker w = {.crew = c, .zip = c->scan->pack ? zip_new() : NULL};
    struct budget *budget = &c->scan->work->budget;
    size_t from;
    int code = c->scan->pack && !w.zip ? fail_memory(&w.error) : AQFS_OK;
    while (!code && (from = atomic_fetch_add(&c->next, TAKEN)) < c->n) {
        size_t to = from + TAKEN < c->n ? from + TAKEN : c->n;
        if (i == 0)
            work_progress(c->scan->work, (int64_t)from);
        code = budget_check(budget);
        if (code)
            code = fail_budget(&w.error, code);
        for (; !code && from < to; from++)
            code = take_scan_file(&w, c->files[from]);
    }
    if (code)
        stop_hashing(c, code, &w.error);
    node_close(&w.dir);
    buf_free(&w.bytes);
    zip_free(w.zip);
}

int scan_hash(struct scan *scan, struct scan_file **files, size_t n) {
    struct hash_crew c = {.scan = scan, .files = files, .n = n};
    unsigned count = n <= TAKEN ? 1 : workers_count(scan->work->ws->limits.threads);
    if (n == 0)
        return AQFS_OK;
    pthread_mutex_init(&c.lock, NULL);
    workers_run(count, run_hash_worker, &c);
    pthread_mutex_destroy(&c.lock);
    if (c.code)
        scan->work->error = c.error;
    return c.code;
}
