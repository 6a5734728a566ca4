/* walk.c -- reading a tree, with several threads, into memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walk_crew.h"

#include <stdlib.h>
#include <string.h>

/* -- the stack of directories ----------------------------------------------------------------- */

/* Takes the next directory, waiting while others may still find some; NULL at the walk's end.  The
 * caller holds the lock. */
static struct walk_dir *take_waiting_dir(struct walk_worker *w) {
    struct walk_crew *c = w->crew;
    while (!c->code && c->waiting == 0 && c->unfinished > 0) {
        c->idle++;
        pthread_cond_wait(&c->changed, &c->lock);
        c->idle--;
        w->waiting.excused++;
    }
    return !c->code && c->waiting > 0 ? c->stack[--c->waiting] : NULL;
}

static bool grow_stack(struct walk_crew *c, size_t extra) {
    if (c->waiting + extra <= c->room)
        return true;
    size_t room = (c->waiting + extra) * 2;
    struct walk_dir **grown = realloc(c->stack, room * sizeof *grown);
    if (!grown)
        return false;
    c->stack = grown;
    c->room = room;
    return true;
}

/* Notes that DIR has been read, and puts its subdirectories on the stack, the first one on top. The
 * caller holds the lock. */
static void finish_dir(struct walk_crew *c, const struct walk_dir *dir, size_t subdirectories) {
    if (!grow_stack(c, subdirectories)) {
        if (!c->code)
            c->code = AQFS_LIMIT;
    } else {
        for (size_t i = dir->n; i-- > 0 && subdirectories > 0;)
            if (dir->entries[i].dir)
                c->stack[c->waiting++] = dir->entries[i].dir;
    }
    c->unfinished += subdirectories;
    c->unfinished--;
    if (c->idle > 0 && (subdirectories > 0 || c->unfinished == 0 || c->code))
        pthread_cond_broadcast(&c->changed);
}

/* Adds what W has counted to the result.  The caller holds the lock. */
static void add_counts(const struct walk_worker *w) {
    struct walk *out = w->crew->walk;
    out->files += w->files;
    out->directories += w->directories;
    out->others += w->others;
    out->unreadable += w->unreadable;
    out->ignored += w->ignored;
    out->shown += w->shown;
    out->shown_bytes += w->shown_bytes;
}

/* The same for what W has read, with CODE; then takes the next one. */
static void go_on(struct walk_worker *w, int code, size_t subdirectories) {
    struct walk_crew *c = w->crew;
    pthread_mutex_lock(&c->lock);
    if (code && !c->code)
        c->code = code;
    if (w->dir)
        finish_dir(c, w->dir, subdirectories);
    w->dir = take_waiting_dir(w);
    if (!w->dir)
        add_counts(w);
    pthread_mutex_unlock(&c->lock);
}

/* -- the whole -------------------------------------------------------------------------------- */

static void walk_directories(void *data, unsigned i, struct workers *all) {
    struct walk_crew *c = data;
    struct walk_worker w = {.crew = c, .arena = &c->walk->arenas[i]};
    go_on(&w, AQFS_OK, 0);
    while (w.dir) {
        size_t subdirectories;
        int code = walk_read_dir(&w, &subdirectories);
        if (i == 0 && c->options->progress)
            c->options->progress(c->options->progress_data, atomic_load(&c->entries));
        go_on(&w, code, subdirectories);
        workers_step(all, &w.waiting);
    }
    free(w.entries);
    free(w.keys);
    buf_free(&w.link_text);
}

static int64_t depth_limit(const struct walk_crew *c) {
    int64_t most = c->ws->limits.walk_depth, asked = c->options->max_depth;
    return asked > 0 && asked < most ? asked : most;
}

static void run_crew(struct walk_crew *c, unsigned count, unsigned most) {
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->changed, NULL);
    c->stack[c->waiting++] = c->walk->start;
    c->unfinished = 1;
    workers_run_growing(count, most, walk_directories, c);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->changed);
    c->walk->rules_dropped = c->options->ignores && atomic_load(&c->ignoring.left) == 0;
}

int walk_run(struct aqfs_workspace *ws, const struct place *place,
             const struct walk_options *options, struct budget *budget, struct walk *out,
             struct error *e) {
    struct walk_crew c = {
        .ws = ws, .place = place, .options = options, .budget = budget, .walk = out};
    c.max_depth = depth_limit(&c);
    bool one = c.max_depth == 1;
    unsigned count = one ? 1 : workers_count(ws->limits.threads);
    unsigned most = one ? 1 : workers_most(ws->limits.threads);
    *out = (struct walk){
        .order = options->order, .arenas = calloc(most, sizeof *out->arenas), .arena_count = most};
    if (!out->arenas)
        return fail_memory(e);
    out->start = walk_new_dir(&out->arenas[0], NULL, "", 0);
    int code = out->start && grow_stack(&c, 1) ? AQFS_OK : fail_memory(e);
    if (!code && options->ignores)
        code = ignoring_open(ws, place, &c.ignoring, e);
    if (!code)
        run_crew(&c, count, most);
    if (options->ignores)
        ignoring_close(&c.ignoring);
    free(c.stack);
    if (code)
        return code;
    out->cut = atomic_load(&c.cut);
    return c.code ? fail_budget(e, c.code) : AQFS_OK;
}
void walk_free(struct walk *w) {
    for (unsigned i = 0; i < w->arena_count && w->arenas; i++)
        arena_free(&w->arenas[i]);
    free(w->arenas);
    *w = (struct walk){0};
}

size_t walk_path(const struct walk_dir *dir, const struct walk_entry *entry, char *out) {
    size_t n = dir->path_len;
    memcpy(out, dir->path, n);
    if (n > 0)
        out[n++] = '/';
    memcpy(out + n, entry->name, entry->name_len + 1U);
    return n + entry->name_len;
}

/* Recursion is as deep as the walk: limits.walk_depth, 256 at most. */
static int each_below(struct walk_dir *dir, int (*each)(void *, struct walk_ref), void *data) {
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < dir->n; i++) {
        struct walk_entry *entry = &dir->entries[i];
        code = each(data, (struct walk_ref){dir, entry});
        if (!code && entry->dir)
            code = each_below(entry->dir, each, data);
    }
    return code;
}

int walk_each(const struct walk *w, int (*each)(void *data, struct walk_ref ref), void *data) {
    return each_below(w->start, each, data);
}

bool walk_full_path(const struct place *place, const struct walk_dir *dir,
                    char out[PATH_BYTES_MAX + 1]) {
    size_t slash = place->len > 0 && dir->path_len > 0;
    if (place->len + slash + dir->path_len > PATH_BYTES_MAX)
        return false;
    memcpy(out, place->path, place->len);
    if (slash)
        out[place->len] = '/';
    memcpy(out + place->len + slash, dir->path, dir->path_len + 1);
    return true;
}

static bool open_walked_dir(struct aqfs_workspace *ws, const struct place *place,
                            const struct walk_dir *dir, struct node *node) {
    char full[PATH_BYTES_MAX + 1];
    struct error e;
    return walk_full_path(place, dir, full) &&
           ws->backend->open(ws, place->root, full, OPEN_DIRECTORY, node, &e) == AQFS_OK;
}

int walk_stat(struct aqfs_workspace *ws, const struct place *place, const struct walk_ref *refs,
              size_t n, struct budget *budget, struct error *e) {
    struct node node = {0};
    const struct walk_dir *open = NULL;
    int code = AQFS_OK;
    for (size_t i = 0; i < n && !code; i++) {
        if (refs[i].dir != open) {
            node_close(&node);
            open = open_walked_dir(ws, place, refs[i].dir, &node) ? refs[i].dir : NULL;
        }
        if (open)
            walk_stat_entry(&node, refs[i].entry, NULL);
        if (i % WALK_CHECK_EVERY == 0)
            code = budget_check(budget);
    }
    node_close(&node);
    return code ? fail_budget(e, code) : AQFS_OK;
}
