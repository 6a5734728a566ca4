/* walk_read.c -- reading one directory of a walk.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walk_crew.h"

#include "path.h"

#include <stdlib.h>
#include <string.h>

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

/* Adds the names listed since the last report to the crew's count.  Counting each name at once
 * would keep the threads busy passing the cache line of that counter to each other. */
static void report_to_crew(struct walk_worker *w) {
    int64_t more = (int64_t)(w->n - w->reported);
    w->elsewhere = atomic_fetch_add(&w->crew->entries, more) - (int64_t)w->reported;
    w->reported = w->n;
}

/* A list_each.  AQFS_TOO_LARGE ends the listing at limits.walk_entries, which marks the walk as cut
 * and does not fail it; any other code ends the walk. */
static int take_entry(void *data, const char *name, size_t n, enum node_type type) {
    struct walk_worker *w = data;
    struct walk_crew *c = w->crew;
    if (++w->since_check >= WALK_CHECK_EVERY) {
        w->since_check = 0;
        report_to_crew(w);
        int code = budget_check(c->budget);
        if (code)
            return code;
    }
    if (name[0] == '.' && c->options->ignores)
        w->rule_files |= ignoring_notice(name, n, type);
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
                                             .size = -1,
                                             .modified_ns = TIME_UNKNOWN};
    return AQFS_OK;
}

void walk_stat_entry(const struct node *node, struct walk_entry *entry, struct info *keep) {
    struct error e;
    struct info info;
    if (node->backend->stat_below(node, entry->name, &info, &e))
        return; /* it has gone since it was listed: its size stays unknown */
    if (keep) {
        *keep = info;
        entry->info = keep;
    }
    entry->size = info.size;
    entry->modified_ns = info.modified_ns;
    entry->executable = info.type == NODE_FILE && (info.mode & 0111);
}

struct walk_dir *walk_new_dir(struct arena *arena, struct walk_dir *parent, const char *name,
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

static void count_types(struct walk_worker *w, const struct walk_entry *entries, size_t n) {
    int64_t files = 0, directories = 0;
    for (size_t i = 0; i < n; i++) {
        files += entries[i].type == NODE_FILE;
        directories += entries[i].type == NODE_DIRECTORY;
    }
    w->files += files;
    w->directories += directories;
    w->others += (int64_t)n - files - directories;
}

/* Makes the directories of the next level; false without memory. */
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
                atomic_store(
                    &c->cut,
                    true); /* stopped by limits.walk_depth, not by the caller's max_depth */
            continue;
        }
        entry->dir = walk_new_dir(w->arena, dir, entry->name, entry->name_len);
        if (!entry->dir)
            return false;
        ++*subdirectories;
    }
    return true;
}

/* Fills sizes and times of the listed entries while the budget lasts; false without memory. */
static bool stat_entries(struct walk_worker *w, const struct node *node) {
    const struct walk_dir *dir = w->dir;
    bool keeps = w->crew->options->info;
    struct info *infos = keeps ? arena_take(w->arena, dir->n * sizeof *infos + 1) : NULL;
    if (keeps && !infos)
        return false;
    for (size_t i = 0; i < dir->n; i++) {
        if (i % WALK_CHECK_EVERY == 0 && budget_check(w->crew->budget))
            break; /* walk_read_dir asks the budget again and returns its code */
        walk_stat_entry(node, &dir->entries[i], keeps ? &infos[i] : NULL);
    }
    return true;
}

/* Puts the text of each link that is shown behind its name; false without memory.  A link that has
 * gone since it was listed has no text. */
static bool read_link_texts(struct walk_worker *w, const struct node *node) {
    struct buf *text = &w->link_text;
    struct error e;
    bool asked = false;
    for (size_t i = 0; i < w->dir->n; i++) {
        struct walk_entry *entry = &w->dir->entries[i];
        if (entry->type != NODE_SYMLINK || !entry->shown)
            continue;
        if (!asked && !node->backend->links_are_texts(node))
            return true;
        asked = true;
        buf_clear(text);
        buf_add(text, entry->name, entry->name_len + 1U);
        if (node->backend->readlink_below(node, entry->name, text, &e))
            continue;
        const char *both = text->failed ? NULL : arena_string(w->arena, text->data, text->len);
        if (!both)
            return false;
        entry->name = both;
        entry->has_text = true;
    }
    return !text->failed;
}

/* Asks which of the listed entries are shown; is a link among them? */
static bool mark_shown(struct walk_worker *w) {
    const struct walk_options *o = w->crew->options;
    bool link = false;
    for (size_t i = 0; i < w->n; i++) {
        struct walk_entry *entry = &w->entries[i];
        entry->shown = o->shows(o->shows_data, (struct walk_ref){w->dir, entry});
        entry->plain = entry->shown && path_is_plain(entry->name, entry->name_len);
        link = link || (entry->shown && entry->type == NODE_SYMLINK);
        w->shown += entry->shown;
        w->shown_bytes += entry->shown ? w->dir->path_len + 1U + entry->name_len : 0;
    }
    return link;
}

/* Drops the listed entries that are neither shown nor directories. */
static void drop_hidden(struct walk_worker *w) {
    size_t kept = 0;
    for (size_t i = 0; i < w->n; i++)
        if (w->entries[i].shown || w->entries[i].type == NODE_DIRECTORY)
            w->entries[kept++] = w->entries[i];
    w->n = kept;
}

/* Drops the listed entries that git ignores; false without memory. */
static bool drop_ignored(struct walk_worker *w) {
    struct walk_crew *c = w->crew;
    const struct walk_dir *parent = w->dir->parent;
    if (!ignoring_enter(&c->ignoring, c->ws, c->place->root, w->full, w->rule_files,
                        parent ? parent->rules : c->ignoring.above, &w->dir->rules))
        return false;
    size_t most = atomic_load(&c->ignoring.left), left = most, kept = 0, n = strlen(w->full);
    if (most == 0 || !ignoring_may(w->dir->rules))
        return true;
    char path[PATH_BYTES_MAX + NAME_BYTES_MAX + 2];
    memcpy(path, w->full, n);
    if (n > 0)
        path[n++] = '/';
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_entry *entry = &w->entries[i];
        memcpy(path + n, entry->name, entry->name_len + 1U);
        if (left == 0 || !ignoring_leaves_out(w->dir->rules, path, n + entry->name_len,
                                              entry->type == NODE_DIRECTORY, &left))
            w->entries[kept++] = *entry;
    }
    w->ignored += (int64_t)(w->n - kept);
    w->n = kept;
    ignoring_spend(&c->ignoring, most - left);
    return true;
}

/* Sorts the listed entries into the directory, filters them, and looks at what is left; false
 * without memory. */
static bool keep_entries(struct walk_worker *w, const struct node *node) {
    const struct walk_options *o = w->crew->options;
    if (o->ignores && !drop_ignored(w))
        return false;
    bool link = o->shows && mark_shown(w);
    if (o->shown_only) {
        count_types(w, w->entries, w->n);
        if (!link)
            drop_hidden(w);
    }
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
    if (!o->shown_only)
        count_types(w, kept, w->dir->n);
    return !link || !o->link_texts || read_link_texts(w, node);
}

/* Notes why the directory was not read.  A directory on another mount is not counted as unreadable:
 * it is listed by its parent, and the walk does not enter it on purpose. */
static void note_unread(struct walk_worker *w, int code) {
    w->dir->error = code;
    if (code != AQFS_OUTSIDE_ROOT)
        w->unreadable++;
}

int walk_read_dir(struct walk_worker *w, size_t *subdirectories) {
    struct walk_crew *c = w->crew;
    struct error e;
    struct node node;
    *subdirectories = 0;
    w->n = w->reported = 0;
    w->rule_files = 0;
    w->elsewhere = atomic_load(&c->entries);
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
        note_unread(w, code); /* the names read before the error are kept */
        code = AQFS_OK;
    }
    report_to_crew(w);
    bool kept = keep_entries(w, &node) && plan_descent(w, subdirectories);
    node_close(&node);
    if (!kept)
        return AQFS_LIMIT;
    return code && code != AQFS_TOO_LARGE ? code : budget_check(c->budget);
}
