/* snapshot_compare.c -- what differs between two trees.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_compare.h"

#include <string.h>

struct tree_comparison {
    struct work *work;
    const struct store *store;
    struct arena *arena;
    struct item_changes *out;
    size_t depth;
    size_t len;
    char path[PATH_BYTES_MAX + 1]; /* of the directory that is being compared */
};

static const struct item nothing = {.kind = ITEM_NONE};

static int fail_deep(struct tree_comparison *c) {
    return fail(&c->work->error, AQFS_SNAPSHOT,
                "The snapshot is damaged: it has longer paths than there can be");
}

/* Adds the entry's name to the path.  *BEFORE is the length that the path had. */
static int enter(struct tree_comparison *c, const struct tree_entry *entry, size_t *before) {
    *before = c->len;
    if (c->len + 1 + entry->len > PATH_BYTES_MAX)
        return fail_deep(c);
    if (c->len > 0)
        c->path[c->len++] = '/';
    memcpy(c->path + c->len, entry->name, entry->len);
    c->len += entry->len;
    c->path[c->len] = '\0';
    return AQFS_OK;
}

static int add_tree_change(struct tree_comparison *c, const struct tree_entry *entry,
                           const struct item *before, const struct item *after) {
    size_t len;
    int code = enter(c, entry, &len);
    if (code)
        return code;
    if (c->out->n >= (size_t)c->work->ws->limits.walk_entries)
        return fail(&c->work->error, AQFS_LIMIT, "More differs than limits.walk_entries allows");
    bool added = item_changes_add(c->out, c->path, c->len, before, after);
    c->len = len;
    return added ? AQFS_OK : fail_memory(&c->work->error);
}

static int load_subtree(struct tree_comparison *c, const struct tree_entry *entry,
                        const struct tree **out) {
    struct tree *tree = entry->below;
    int code =
        tree ? AQFS_OK : store_tree(c->store, &entry->item.oid, c->arena, &tree, &c->work->error);
    *out = tree;
    return code;
}

static int compare_tree_entries(struct tree_comparison *c, const struct tree *from,
                                const struct tree *to);

/* Compares a directory with itself in the other tree.  A is NULL if it is new, B if it is gone. */
static int compare_below(struct tree_comparison *c, const struct tree_entry *a,
                         const struct tree_entry *b) {
    static const struct tree empty = {0};
    const struct tree *from = &empty, *to = &empty;
    size_t len;
    if (++c->depth > (size_t)c->work->ws->limits.walk_depth)
        return fail_deep(c);
    int code = budget_check(&c->work->budget);
    if (code)
        return fail_budget(&c->work->error, code);
    code = a ? load_subtree(c, a, &from) : AQFS_OK;
    code = !code && b ? load_subtree(c, b, &to) : code;
    code = code ? code : enter(c, a ? a : b, &len);
    code = code ? code : compare_tree_entries(c, from, to);
    if (code)
        return code;
    c->len = len;
    c->depth--;
    return AQFS_OK;
}

/* Compares two entries.  Either one is NULL, or they have the same name and both are directories or
 * neither is. */
static int compare_entry(struct tree_comparison *c, const struct tree_entry *a,
                         const struct tree_entry *b) {
    const struct tree_entry *some = a ? a : b;
    if (!some)
        return AQFS_OK;
    bool is_directory = some->item.kind == ITEM_DIRECTORY;
    if (a && b && oid_equal(&a->item.oid, &b->item.oid) && a->item.kind == b->item.kind &&
        (is_directory || a->item.mode == b->item.mode))
        return AQFS_OK;
    if (!a && b->item.hollow) /* a snapshot would not hold anything of it */
        return AQFS_OK;
    /* The permissions of a directory that is there before and after are not compared. */
    int code = a && b && is_directory
                   ? AQFS_OK
                   : add_tree_change(c, some, a ? &a->item : &nothing, b ? &b->item : &nothing);
    return !code && is_directory ? compare_below(c, a, b) : code;
}

static int order_entries(const struct tree_entry *a, const struct tree_entry *b) {
    if (!a || !b)
        return a ? -1 : 1;
    return tree_order(a->name, a->len, a->item.kind == ITEM_DIRECTORY, b->name, b->len,
                      b->item.kind == ITEM_DIRECTORY);
}

static int compare_tree_entries(struct tree_comparison *c, const struct tree *from,
                                const struct tree *to) {
    int code = AQFS_OK;
    for (size_t i = 0, j = 0; !code && (i < from->n || j < to->n);) {
        const struct tree_entry *a = i < from->n ? &from->entries[i] : NULL;
        const struct tree_entry *b = j < to->n ? &to->entries[j] : NULL;
        int which = order_entries(a, b);
        i += which <= 0;
        j += which >= 0;
        code = compare_entry(c, which <= 0 ? a : NULL, which >= 0 ? b : NULL);
    }
    return code;
}

int compare_trees(struct work *work, const struct store *store, struct arena *arena,
                  const struct tree *from, const struct tree *to, struct item_changes *out) {
    struct tree_comparison all = {.work = work, .store = store, .arena = arena, .out = out};
    return compare_tree_entries(&all, from, to);
}
