/* snapshot_memory.c -- the keeper of snapshots for workspaces in memory: a mark each.
 *
 * A mark shares with the present tree all that did not change, so taking one copies nothing.  Marks
 * end with the workspace.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "clock.h"
#include "journal.h"
#include "memory.h"
#include "snapshot.h"
#include "snapshot_store.h"

#include <stdio.h>
#include <string.h>

/* Files in memory have no permissions: all are the same. */
#define MODE 0644

struct memory_kept {
    struct memory_kept *older;
    struct snapshot record;
    struct memory_root *root;
};

static void kept_free(struct memory_kept *kept) {
    memory_unmark(kept->root);
    snapshot_free(&kept->record);
    free(kept);
}

static void memory_kept_free(struct memory_kept *newest) {
    while (newest) {
        struct memory_kept *older = newest->older;
        kept_free(newest);
        newest = older;
    }
}

static bool copy_text(const char *text, char **out) {
    *out = text ? strdup(text) : NULL;
    return *out || !text;
}

static int copy_record(const struct snapshot *record, struct snapshot *out, struct error *e) {
    struct snapshot copy = *record;
    bool whole = copy_text(record->root_path, &copy.root_path);
    whole = copy_text(record->git_dir, &copy.git_dir) && whole;
    whole = copy_text(record->tag, &copy.tag) && whole;
    if (!whole) {
        snapshot_free(&copy);
        return fail_memory(e);
    }
    *out = copy;
    return AQFS_OK;
}

/* The mark of the snapshot ID, to be unmarked; with memory->lock held. */
static struct memory_kept *kept_with_id(const struct memory *memory, const char *id) {
    struct memory_kept *kept = memory->kept;
    while (kept && strcmp(kept->record.id, id) != 0)
        kept = kept->older;
    return kept;
}

static int fail_no_snapshot(struct work *work, const char *id) {
    return fail(&work->error, AQFS_SNAPSHOT, "There is no snapshot %s", id);
}

/* -- taking one ------------------------------------------------------------------------------- */

static struct memory_kept *kept_new(struct work *work, struct text_ref tag) {
    struct memory_kept *kept = calloc(1, sizeof *kept);
    if (!kept)
        return NULL;
    kept->record.created_ms = clock_wall_ns() / NS_PER_MS;
    kept->record.root_path = strdup(work->ws->roots[0].path);
    kept->record.tag = tag.len > 0 ? strndup(tag.data, tag.len) : NULL;
    kept->record.origin = work->origin;
    kept->root = memory_mark(work->ws);
    if (kept->root && kept->record.root_path && (kept->record.tag || tag.len == 0) &&
        snapshot_new_id(kept->record.id))
        return kept;
    kept_free(kept);
    return NULL;
}

static void keep_snapshot(struct memory *memory, struct memory_kept *kept) {
    pthread_mutex_lock(&memory->lock);
    (void)snprintf(kept->record.commit_ref, sizeof kept->record.commit_ref, "mem-%llu",
                   (unsigned long long)++memory->kept_count);
    kept->older = memory->kept;
    memory->free_kept = memory_kept_free;
    memory->kept = kept;
    pthread_mutex_unlock(&memory->lock);
}

/* Not in the middle of a commit of several files. */
static int memory_take(struct work *work, struct text_ref tag, struct item_changes *compared,
                       struct snapshot *out, struct snapshot_report *report) {
    (void)compared; /* what was compared is looked at again when it is changed */
    int code = commit_lock(work->ws, &work->budget, &work->error);
    if (code)
        return code;
    struct memory_kept *kept = kept_new(work, tag);
    commit_unlock(work->ws);
    if (!kept)
        return fail_memory(&work->error);
    kept->record.files = memory_at(kept->root, "")->files;
    *report = (struct snapshot_report){.files = kept->record.files};
    keep_snapshot(work->ws->memory, kept);
    return copy_record(&kept->record, out, &work->error);
}

/* -- which there are -------------------------------------------------------------------------- */

/* With memory->lock held. */
static int list_kept(const struct memory *memory, struct snapshot_list *out, struct error *e) {
    for (const struct memory_kept *kept = memory->kept; kept; kept = kept->older)
        out->room++;
    out->all = calloc(out->room + 1, sizeof *out->all);
    if (!out->all)
        return fail_memory(e);
    out->n = out->room;
    size_t place = out->n; /* the oldest first */
    int code = AQFS_OK;
    for (const struct memory_kept *kept = memory->kept; !code && kept; kept = kept->older)
        code = copy_record(&kept->record, &out->all[--place], e);
    return code;
}

static int memory_list_kept(struct work *work, struct snapshot_list *out) {
    struct memory *memory = work->ws->memory;
    pthread_mutex_lock(&memory->lock);
    int code = list_kept(memory, out, &work->error);
    pthread_mutex_unlock(&memory->lock);
    return code;
}

static int memory_find_kept(struct work *work, const char *id, struct snapshot *out) {
    struct memory *memory = work->ws->memory;
    pthread_mutex_lock(&memory->lock);
    const struct memory_kept *kept = kept_with_id(memory, id);
    int code = kept ? copy_record(&kept->record, out, &work->error) : fail_no_snapshot(work, id);
    pthread_mutex_unlock(&memory->lock);
    return code;
}

/* -- comparing -------------------------------------------------------------------------------- */

/* The data that the items of a comparison point into. */
struct sides {
    struct memory_root *from, *to;
};

static void drop_sides(void *held) {
    struct sides *sides = held;
    memory_unmark(sides->from);
    memory_unmark(sides->to);
    free(sides);
}

struct memory_comparison {
    struct work *work;
    struct item_changes *out;
    bool with_now;
};

static int describe_object(struct memory_comparison *m, const struct memory_object *object,
                           bool now, struct item *out) {
    struct work *work = m->work;
    *out = (struct item){.kind = ITEM_NONE};
    if (!object)
        return AQFS_OK;
    *out = (struct item){
        .kind = object->is_directory ? ITEM_DIRECTORY : ITEM_FILE, .mode = MODE, .object = object};
    if (now) {
        struct info *info = arena_take(&m->out->arena, sizeof *info);
        if (!info)
            return fail_memory(&work->error);
        *info = memory_info(object);
        out->info = info;
    }
    return object->is_directory ? AQFS_OK
                                : store_name(OBJECT_BLOB, object->bytes->data, object->bytes->n,
                                             &out->oid, &work->error);
}

static int add_memory_change(struct memory_comparison *m, const char *path,
                             const struct item *before, const struct item *after) {
    if (m->out->n >= (size_t)m->work->ws->limits.walk_entries)
        return fail(&m->work->error, AQFS_LIMIT, "More differs than limits.walk_entries allows");
    return item_changes_add(m->out, path, strlen(path), before, after)
               ? AQFS_OK
               : fail_memory(&m->work->error);
}

/* A file in the place of a directory, or the other way round, is one that goes and one that
 * comes. */
static int note_change(void *data, const struct memory_change *change) {
    static const struct item nothing = {.kind = ITEM_NONE};
    struct memory_comparison *m = data;
    struct item before, after;
    int code = budget_check(&m->work->budget);
    if (code)
        return fail_budget(&m->work->error, code);
    code = describe_object(m, change->before, false, &before);
    code = code ? code : describe_object(m, change->after, m->with_now, &after);
    if (code)
        return code;
    if (before.kind == ITEM_FILE && after.kind == ITEM_FILE && oid_equal(&before.oid, &after.oid))
        return AQFS_OK;
    if (before.kind == after.kind || !before.kind || !after.kind)
        return add_memory_change(m, change->path, &before, &after);
    code = add_memory_change(m, change->path, &before, &nothing);
    return code ? code : add_memory_change(m, change->path, &nothing, &after);
}

/* Directories as if they ended in a slash, and what is in them right behind them; a file that goes
 * before the directory that takes its name. */
static int compare_changes(const void *a, const void *b) {
    const struct item_change *x = a, *y = b;
    int order = strcmp(x->path, y->path);
    bool file_x = x->before.kind == ITEM_FILE || x->after.kind == ITEM_FILE;
    bool file_y = y->before.kind == ITEM_FILE || y->after.kind == ITEM_FILE;
    return order ? order : (int)file_y - (int)file_x;
}

static int mark_of(struct work *work, const char *id, struct memory_root **out) {
    struct memory *memory = work->ws->memory;
    pthread_mutex_lock(&memory->lock);
    const struct memory_kept *kept = kept_with_id(memory, id);
    *out = kept ? memory_mark_again(kept->root) : NULL;
    pthread_mutex_unlock(&memory->lock);
    if (!kept)
        return fail_no_snapshot(work, id);
    return *out ? AQFS_OK : fail_memory(&work->error);
}

static int memory_compare_kept(struct work *work, const char *from, const char *to,
                               struct item_changes *out) {
    struct sides *sides = calloc(1, sizeof *sides);
    if (!sides)
        return fail_memory(&work->error);
    out->held = sides;
    out->drop = drop_sides;
    int code = mark_of(work, from, &sides->from);
    if (!code && to)
        code = mark_of(work, to, &sides->to);
    else if (!code && !(sides->to = memory_mark(work->ws)))
        code = fail_memory(&work->error);
    struct memory_comparison m = {.work = work, .out = out, .with_now = !to};
    code = code ? code : memory_compare(sides->from, sides->to, note_change, &m);
    if (code == AQFS_LIMIT && !work->error.code)
        code = fail_memory(&work->error);
    if (!code && out->n > 1)
        qsort(out->all, out->n, sizeof *out->all, compare_changes);
    return code;
}

static int memory_read_kept(struct work *work, const struct item_changes *changes,
                            const struct item *item, struct buf *out) {
    const struct memory_object *object = item->object;
    (void)changes;
    buf_add(out, object->bytes->data, object->bytes->n);
    return out->failed ? fail_memory(&work->error) : AQFS_OK;
}

/* -- forgetting ------------------------------------------------------------------------------- */

/* The first place in the list, from the newest, of what may go; NULL when nothing may. */
static struct memory_kept **find_dispensable(struct memory *memory, const struct retention *keep) {
    struct memory_kept **last = NULL;
    bool crowded = atomic_load(&memory->meter->bytes) > keep->bytes;
    struct retention rule = *keep;
    size_t rank = 0;
    if (crowded) /* somebody who asks keeps the newest */
        rule.newest = keep->asked && keep->newest > 0;
    for (struct memory_kept **at = &memory->kept; *at; at = &(*at)->older) {
        if (!snapshot_may_go(&rule, &(*at)->record))
            continue;
        if (snapshot_goes(&rule, rank++, &(*at)->record))
            last = at; /* the oldest of them first */
    }
    return last;
}

static int memory_prune(struct work *work, const struct retention *keep, size_t *forgotten) {
    struct memory *memory = work->ws->memory;
    *forgotten = 0;
    for (;;) {
        struct memory_kept *gone = NULL;
        pthread_mutex_lock(&memory->lock);
        struct memory_kept **at = find_dispensable(memory, keep);
        if (at) {
            gone = *at;
            *at = gone->older;
        }
        pthread_mutex_unlock(&memory->lock);
        if (!gone)
            return AQFS_OK;
        kept_free(gone);
        ++*forgotten;
    }
}

static int memory_measure(struct work *work, int64_t *bytes) {
    *bytes = (int64_t)atomic_load(&work->ws->memory->meter->bytes);
    return AQFS_OK;
}

const struct keeper memory_keeper = {
    .name = "memory",
    .strict = true,
    .take = memory_take,
    .list = memory_list_kept,
    .measure = memory_measure,
    .find = memory_find_kept,
    .compare = memory_compare_kept,
    .read = memory_read_kept,
    .prune = memory_prune,
};
