/* snapshot_filter.c -- which entries of a directory a snapshot looks at.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "ignore.h"
#include "own_file.h"
#include "protect.h"
#include "snapshot_scan.h"

#include <stdlib.h>
#include <string.h>

/* -- rules ---------------------------------------------------------------------------------------
 */

static bool read_ignore_file(const struct node *dir, const char *name, struct buf *out) {
    AUTO(node_close) struct node file = {0};
    struct error ignored;
    if (dir->backend->open_below(dir, name, OPEN_FILE, &file, &ignored) ||
        file.info.size > (int64_t)IGNORE_BYTES_MAX || !buf_reserve(out, (size_t)file.info.size + 1))
        return false;
    ssize_t n = dir->backend->read(&file, out->data + out->len, (size_t)file.info.size, 0);
    out->len += n > 0 ? (size_t)n : 0;
    return n >= 0;
}

/* The scan fails then: without its rules, ignored files would look new, and a restore would delete
 * them.  Call with the lock held. */
static void note_around_unread(struct scan *scan, int code, const struct error *e) {
    if (scan->unread_code)
        return;
    scan->unread_code = code;
    scan->unread = *e;
}

/* The rules that the other snapshot has here. */
static bool read_kept(struct scan *scan, const struct tree *around, struct buf *out) {
    struct error e = {0};
    const struct tree_entry *entry = tree_find(around, ".gitignore", 10, false);
    if (!entry || entry->item.kind != ITEM_FILE)
        return false;
    int code = store_read(scan->store, &entry->item.oid, OBJECT_BLOB, out, &e);
    if (code) {
        pthread_mutex_lock(&scan->lock);
        note_around_unread(scan, code, &e);
        pthread_mutex_unlock(&scan->lock);
    }
    return !code;
}

static bool read_exclude(struct scan *scan, struct buf *out) {
    struct aqfs_workspace *ws = scan->work->ws;
    AUTO(node_close) struct node dir = {0};
    struct error ignored;
    return ws->backend->open(ws, &ws->roots[0], ".git/info", OPEN_DIRECTORY, &dir, &ignored) ==
               AQFS_OK &&
           read_ignore_file(&dir, "exclude", out);
}

static bool has_file(const struct walk_dir *dir, const char *name) {
    for (size_t i = 0; i < dir->n; i++)
        if (dir->entries[i].type == NODE_FILE && strcmp(dir->entries[i].name, name) == 0)
            return true;
    return false;
}

/* False without memory. */
static bool take_rules(struct scan *scan, const struct node *node, const struct walk_dir *dir,
                       struct scan_dir *here) {
    AUTO(buf_free) struct buf text = {0};
    if (scan->strict)
        return true;
    /* Of a repository's own file the rules come first, so that a .gitignore overrules them. */
    if (!dir->parent && read_exclude(scan, &text))
        ignore_end_file(&text, 0);
    size_t from = text.len;
    bool found = scan->around
                     ? here->around && read_kept(scan, here->around, &text)
                     : has_file(dir, ".gitignore") && read_ignore_file(node, ".gitignore", &text);
    if (found)
        ignore_end_file(&text, from);
    if (text.failed || (!found && text.len == 0))
        return !text.failed;
    here->rules = ignore_read(text.data ? text.data : "", text.len);
    return here->rules != NULL;
}

/* The most that one question about a name may cost: ignore.h. */
#define QUESTION_MOST ((size_t)1 << 24)

/* Do the rules of this directory or of those above it ignore PATH, which is relative to the root?
 */
static bool is_ignored(const struct walk_dir *dir, const char *path, size_t n, bool is_directory) {
    size_t left = QUESTION_MOST;
    for (; dir; dir = dir->parent) {
        const struct scan_dir *here = dir->user;
        size_t skip = dir->path_len ? dir->path_len + 1U : 0;
        if (!here || !here->rules)
            continue;
        enum ignored says = ignore_says(here->rules, path + skip, n - skip, is_directory, &left);
        if (says != IGNORE_UNSAID)
            return says == IGNORE_IT;
    }
    return false;
}

/* -- the directory -------------------------------------------------------------------------------
 */

static const struct tree_entry *kept_entry(const struct scan_dir *here,
                                           const struct walk_entry *entry) {
    const struct tree_entry *kept = tree_find(here->around, entry->name, entry->name_len, false);
    return kept ? kept : tree_find(here->around, entry->name, entry->name_len, true);
}

/* Finds the entries that the other snapshot has for the directory that is listed now. */
static void take_around(struct scan *scan, struct walk_dir *dir, struct scan_dir *here) {
    const struct scan_dir *above = dir->parent ? dir->parent->user : NULL;
    struct error e = {0};
    struct tree *tree = NULL;
    if (!scan->around)
        return;
    if (!above) {
        here->around = scan->around;
        return;
    }
    const char *name = path_basename(dir->path);
    struct tree_entry *entry = tree_find(above->around, name, strlen(name), true);
    if (!entry)
        return;
    pthread_mutex_lock(&scan->lock);
    int code = store_tree(scan->store, &entry->item.oid, &scan->arena, &tree, &e);
    if (code)
        note_around_unread(scan, code, &e);
    else
        here->around = tree;
    pthread_mutex_unlock(&scan->lock);
}

/* Entries that no snapshot holds, whatever the rules say. */
static bool is_never_kept(const struct scan *scan, const struct walk_entry *entry,
                          const char *path) {
    const struct aqfs_workspace *ws = scan->work->ws;
    return protect_is_repository(entry->name, entry->name_len) || is_temporary_name(entry->name) ||
           protect_is_state(ws, &ws->roots[0], path);
}

/* Is it a lock (.#x), an auto-save (#x#) or a backup (x~) of an editor?  They come and go beside
 * their file: to put one back would lock the file, or offer a text that is not the last one. */
static bool is_of_an_editor(const struct walk_entry *entry) {
    const char *name = entry->name;
    size_t n = entry->name_len;
    return entry->type != NODE_DIRECTORY && n > 1 &&
           (strncmp(name, ".#", 2) == 0 || (name[0] == '#' && name[n - 1] == '#') ||
            name[n - 1] == '~');
}

static bool is_entry_wanted(struct scan *scan, struct walk_dir *dir, struct walk_entry *entry) {
    struct scan_dir *here = dir->user;
    char path[WALK_PATH_MAX];
    size_t n = walk_path(dir, entry, path);
    bool is_directory = entry->type == NODE_DIRECTORY;
    if (entry->type == NODE_SYMLINK)
        atomic_store(&scan->met_links, true);
    if (is_never_kept(scan, entry, path))
        return false;
    bool ignored =
        here->ignored ||
        (!scan->strict && (is_of_an_editor(entry) || is_ignored(dir, path, n, is_directory)));
    if (ignored && !kept_entry(here, entry)) {
        pthread_mutex_lock(&scan->lock);
        scan->report->ignored++;
        pthread_mutex_unlock(&scan->lock);
        return false;
    }
    if (entry->type == NODE_FILE || is_directory || entry->type == NODE_SYMLINK)
        return true;
    scan_leave_out(scan, (struct walk_ref){dir, entry}, "special");
    return false;
}

/* Is the directory ignored?  It is entered only for what the other snapshot has in it. */
static bool is_below_ignored(const struct walk_dir *dir) {
    const struct scan_dir *above = dir->parent ? dir->parent->user : NULL;
    return above && (above->ignored || is_ignored(dir->parent, dir->path, dir->path_len, true));
}

bool scan_filter(void *data, const struct node *node, struct walk_dir *dir) {
    struct scan *scan = data;
    struct scan_dir *here = calloc(1, sizeof *here);
    if (!here)
        return false;
    pthread_mutex_lock(&scan->lock);
    here->next = scan->dirs;
    scan->dirs = here;
    pthread_mutex_unlock(&scan->lock);
    dir->user = here;
    here->ignored = scan->around && is_below_ignored(dir);
    take_around(scan, dir, here);
    if (!take_rules(scan, node, dir, here))
        return false;
    size_t kept = 0;
    for (size_t i = 0; i < dir->n; i++)
        if (is_entry_wanted(scan, dir, &dir->entries[i]))
            dir->entries[kept++] = dir->entries[i];
    atomic_store(&here->partial, kept < dir->n);
    dir->n = kept;
    return true;
}
