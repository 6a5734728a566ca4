/* walk.c -- reading a tree, with several threads, into memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walk.h"

#include "path.h"
#include "walk_sort.h"
#include "workers.h"

#include <stdlib.h>
#include <string.h>

/* How often what is long looks at the budget. */
#define CHECK_EVERY 1024

/* What the workers share.  Directories to read wait on a stack: last in, first out, so that it
 * stays as small as the tree is deep and wide. */
struct walk_crew {
    struct aqfs_workspace *ws;
    const struct place *place;
    const struct walk_options *options;
    struct budget *budget;
    struct walk *walk;
    int64_t max_depth;

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct walk_dir **stack;
    size_t waiting, room;
    size_t unfinished; /* on the stack or in work */
    int code;          /* why everything stops */

    _Atomic int64_t entries, files, directories, others, unreadable;
    atomic_bool cut;
};

/* What a worker has to itself: memory, and the entries of the directory in hand. */
struct walk_worker {
    struct walk_crew *crew;
    struct arena *arena;
    struct walk_dir *dir;
    struct walk_entry *entries;
    struct walk_key *keys; /* twice as many */
    size_t n, room;
    size_t reported;   /* how many of them the crew has counted */
    int64_t elsewhere; /* how many others there were then */
    size_t since_check;
    char full[PATH_BYTES_MAX + 1]; /* the directory, as the backend opens it */
};

/* -- the stack of directories ----------------------------------------------------------------- */

static void stop_walking(struct walk_crew *c, int code) {
    pthread_mutex_lock(&c->lock);
    if (!c->code)
        c->code = code;
    pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

/* Takes the next directory; NULL when there will be no more. */
static struct walk_dir *take_waiting_dir(struct walk_crew *c) {
    struct walk_dir *dir = NULL;
    pthread_mutex_lock(&c->lock);
    while (!c->code && c->waiting == 0 && c->unfinished > 0)
        pthread_cond_wait(&c->changed, &c->lock);
    if (!c->code && c->waiting > 0)
        dir = c->stack[--c->waiting];
    pthread_mutex_unlock(&c->lock);
    return dir;
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

/* DIR has been read: its subdirectories wait, the first one on top. */
static void finish_dir(struct walk_crew *c, const struct walk_dir *dir, size_t subdirectories) {
    pthread_mutex_lock(&c->lock);
    if (!grow_stack(c, subdirectories)) {
        c->code = c->code ? c->code : AQFS_LIMIT;
    } else {
        for (size_t i = dir->n; i-- > 0 && subdirectories > 0;)
            if (dir->entries[i].dir)
                c->stack[c->waiting++] = dir->entries[i].dir;
    }
    c->unfinished += subdirectories;
    c->unfinished--;
    if (subdirectories > 0 || c->unfinished == 0 || c->code)
        pthread_cond_broadcast(&c->changed);
    pthread_mutex_unlock(&c->lock);
}

/* -- one directory ---------------------------------------------------------------------------- */

static bool is_name_wanted(const struct walk_worker *w, const char *name, size_t n) {
    const struct walk_options *o = w->crew->options;
    if (o->hide_dotfiles && name[0] == '.')
        return false;
    if (o->exclude && glob_set_matches(o->exclude, name, n))
        return false;
    if (!w->crew->ws->rules.any_deny)
        return true;
    char path[PATH_BYTES_MAX + NAME_BYTES_MAX + 2];
    size_t len = strlen(w->full);
    memcpy(path, w->full, len);
    if (len > 0)
        path[len++] = '/';
    memcpy(path + len, name, n);
    return !workspace_hides(w->crew->ws, w->crew->place->root, path, len + n);
}

static bool entries_have_room(struct walk_worker *w) {
    if (w->n < w->room)
        return true;
    size_t room = w->room ? w->room * 2 : 64;
    struct walk_entry *entries = realloc(w->entries, room * sizeof *entries);
    if (entries)
        w->entries = entries;
    struct walk_key *keys = realloc(w->keys, 2 * room * sizeof *keys);
    if (keys)
        w->keys = keys;
    if (!entries || !keys)
        return false;
    w->room = room;
    return true;
}

/* Counts what was listed since the last time.  Not each entry: the threads would do nothing but
 * pass that number to each other. */
static void report_to_crew(struct walk_worker *w) {
    int64_t more = (int64_t)(w->n - w->reported);
    w->elsewhere = atomic_fetch_add(&w->crew->entries, more) - (int64_t)w->reported;
    w->reported = w->n;
}

/* list_each: a code other than AQFS_OK ends this listing; AQFS_TOO_LARGE only marks the cut. */
static int take_entry(void *data, const char *name, size_t n, enum node_type type) {
    struct walk_worker *w = data;
    struct walk_crew *c = w->crew;
    if (++w->since_check >= CHECK_EVERY) {
        w->since_check = 0;
        report_to_crew(w);
        int code = budget_check(c->budget);
        if (code)
            return code;
    }
    if (!is_name_wanted(w, name, n))
        return AQFS_OK;
    if (w->elsewhere + (int64_t)w->n >= c->ws->limits.walk_entries) {
        atomic_store(&c->cut, true);
        return AQFS_TOO_LARGE;
    }
    const char *copy = arena_string(w->arena, name, n);
    if (!copy || !entries_have_room(w))
        return AQFS_LIMIT;
    w->entries[w->n++] = (struct walk_entry){.name = copy,
                                             .name_len = (uint32_t)n,
                                             .type = type,
                                             .plain = path_is_plain(name, n),
                                             .size = -1,
                                             .modified_ns = TIME_UNKNOWN};
    return AQFS_OK;
}

static void stat_entry(const struct node *node, struct walk_entry *entry, struct info *keep) {
    struct error e;
    struct info info;
    if (node->backend->stat_below(node, entry->name, &info, &e))
        return; /* gone meanwhile: unknown */
    if (keep) {
        *keep = info;
        entry->info = keep;
    }
    entry->size = info.size;
    entry->modified_ns = info.modified_ns;
    entry->executable = info.type == NODE_FILE && (info.mode & 0111);
}

static struct walk_dir *new_dir(struct arena *arena, struct walk_dir *parent, const char *name,
                                size_t n) {
    struct walk_dir *dir = arena_take(arena, sizeof *dir);
    size_t above = parent && parent->path_len ? parent->path_len + 1U : 0;
    char *path = arena_take(arena, above + n + 1);
    if (!dir || !path)
        return NULL;
    if (above) {
        memcpy(path, parent->path, above - 1);
        path[above - 1] = '/';
    }
    memcpy(path + above, name, n);
    path[above + n] = '\0';
    *dir = (struct walk_dir){.parent = parent,
                             .path = path,
                             .path_len = (uint32_t)(above + n),
                             .depth = parent ? parent->depth + 1 : 1};
    return dir;
}

static void count_types(struct walk_crew *c, const struct walk_dir *dir) {
    int64_t files = 0, directories = 0;
    for (size_t i = 0; i < dir->n; i++) {
        files += dir->entries[i].type == NODE_FILE;
        directories += dir->entries[i].type == NODE_DIRECTORY;
    }
    atomic_fetch_add_explicit(&c->files, files, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->directories, directories, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->others, (int64_t)dir->n - files - directories,
                              memory_order_relaxed);
}

/* Makes the directories of the next level; false when there is no memory. */
static bool plan_descent(struct walk_worker *w, size_t *subdirectories) {
    struct walk_crew *c = w->crew;
    struct walk_dir *dir = w->dir;
    bool deeper = (int64_t)dir->depth < c->max_depth;
    *subdirectories = 0;
    for (size_t i = 0; i < dir->n; i++) {
        struct walk_entry *entry = &dir->entries[i];
        if (entry->type != NODE_DIRECTORY)
            continue;
        if (!deeper) {
            if (c->options->max_depth == 0 || c->options->max_depth > c->max_depth)
                atomic_store(&c->cut, true); /* the caller did not ask to stop here */
            continue;
        }
        entry->dir = new_dir(w->arena, dir, entry->name, entry->name_len);
        if (!entry->dir)
            return false;
        ++*subdirectories;
    }
    return true;
}

/* The sizes and times of what was listed, as far as the budget goes; false without memory. */
static bool stat_entries(struct walk_worker *w, const struct node *node) {
    const struct walk_dir *dir = w->dir;
    bool keeps = w->crew->options->info;
    struct info *infos = keeps ? arena_take(w->arena, dir->n * sizeof *infos + 1) : NULL;
    if (keeps && !infos)
        return false;
    for (size_t i = 0; i < dir->n; i++) {
        if (i % CHECK_EVERY == 0 && budget_check(w->crew->budget))
            break; /* as read_dir finds out */
        stat_entry(node, &dir->entries[i], keeps ? &infos[i] : NULL);
    }
    return true;
}

/* Sorts what was listed and gives it to the directory. */
static bool keep_entries(struct walk_worker *w, const struct node *node) {
    const struct walk_options *o = w->crew->options;
    struct walk_entry *kept = arena_take(w->arena, w->n * sizeof *kept + 1);
    if (!kept)
        return false;
    if (w->n > 0)
        walk_sort(w->entries, w->n, o->order, w->keys, kept);
    w->dir->entries = kept;
    w->dir->n = w->n;
    if ((o->filter && !o->filter(o->filter_data, node, w->dir)) ||
        (o->stat && !stat_entries(w, node)))
        return false;
    for (size_t i = 0; o->shows && i < w->dir->n; i++)
        kept[i].shown = o->shows(o->shows_data, (struct walk_ref){w->dir, &kept[i]});
    count_types(w->crew, w->dir);
    return true;
}

/* What is on another mount is listed by its parent and not entered: no fault. */
static void note_unread(struct walk_worker *w, int code) {
    w->dir->error = code;
    if (code != AQFS_OUTSIDE_ROOT)
        atomic_fetch_add(&w->crew->unreadable, 1);
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

/* AQFS_OK also where the directory could not be read: only what ends the whole walk is a code. */
static int read_dir(struct walk_worker *w, size_t *subdirectories) {
    struct walk_crew *c = w->crew;
    struct error e;
    struct node node;
    *subdirectories = 0;
    w->n = w->reported = 0;
    report_to_crew(w);
    int code = budget_check(c->budget);
    if (code)
        return code;
    if (!walk_full_path(c->place, w->dir, w->full)) {
        note_unread(w, AQFS_TOO_LONG);
        return AQFS_OK;
    }
    code = c->ws->backend->open(c->ws, c->place->root, w->full, OPEN_DIRECTORY, &node, &e);
    if (code) {
        note_unread(w, code);
        return AQFS_OK;
    }
    code = c->ws->backend->list(&node, take_entry, w, &e);
    if (code && code != AQFS_TOO_LARGE && code != AQFS_CANCELLED && code != AQFS_LIMIT) {
        note_unread(w, code); /* what was read of it stays */
        code = AQFS_OK;
    }
    report_to_crew(w);
    bool kept = keep_entries(w, &node) && plan_descent(w, subdirectories);
    node_close(&node);
    if (!kept)
        return AQFS_LIMIT;
    return code && code != AQFS_TOO_LARGE ? code : budget_check(c->budget);
}

/* -- the whole -------------------------------------------------------------------------------- */

static void walk_directories(void *data, unsigned i) {
    struct walk_crew *c = data;
    struct walk_worker w = {.crew = c, .arena = &c->walk->arenas[i]};
    while ((w.dir = take_waiting_dir(c)) != NULL) {
        size_t subdirectories;
        int code = read_dir(&w, &subdirectories);
        if (code)
            stop_walking(c, code);
        finish_dir(c, w.dir, subdirectories);
        if (i == 0 && c->options->progress)
            c->options->progress(c->options->progress_data, atomic_load(&c->entries));
    }
    free(w.entries);
    free(w.keys);
}

static void take_counts(const struct walk_crew *c, struct walk *out) {
    out->files = atomic_load(&c->files);
    out->directories = atomic_load(&c->directories);
    out->others = atomic_load(&c->others);
    out->unreadable = atomic_load(&c->unreadable);
    out->cut = atomic_load(&c->cut);
}

static int64_t depth_limit(const struct walk_crew *c) {
    int64_t most = c->ws->limits.walk_depth, asked = c->options->max_depth;
    return asked > 0 && asked < most ? asked : most;
}

int walk_run(struct aqfs_workspace *ws, const struct place *place,
             const struct walk_options *options, struct budget *budget, struct walk *out,
             struct error *e) {
    struct walk_crew c = {
        .ws = ws, .place = place, .options = options, .budget = budget, .walk = out};
    c.max_depth = depth_limit(&c);
    unsigned count = c.max_depth == 1 ? 1 : workers_count(ws->limits.threads);
    *out = (struct walk){.arenas = calloc(count, sizeof *out->arenas), .arena_count = count};
    if (!out->arenas)
        return fail_memory(e);
    out->start = new_dir(&out->arenas[0], NULL, "", 0);
    if (!out->start || !grow_stack(&c, 1)) {
        free(c.stack);
        return fail_memory(e);
    }
    pthread_mutex_init(&c.lock, NULL);
    pthread_cond_init(&c.changed, NULL);
    c.stack[c.waiting++] = out->start;
    c.unfinished = 1;
    workers_run(count, walk_directories, &c);
    pthread_mutex_destroy(&c.lock);
    pthread_cond_destroy(&c.changed);
    free(c.stack);
    take_counts(&c, out);
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
            stat_entry(&node, refs[i].entry, NULL);
        if (i % CHECK_EVERY == 0)
            code = budget_check(budget);
    }
    node_close(&node);
    return code ? fail_budget(e, code) : AQFS_OK;
}
