/* plan_check.c -- is everything still as it was planned for?
 *
 * SPDX-License-Identifier: MIT
 */
#include "plan_check.h"

#include "cleanup.h"
#include "plan_repository.h"
#include "plan_tree.h"

#include <string.h>

/* How many bytes are read at once to be compared. */
#define COMPARED ((size_t)256 * 1024)

bool same_file(const struct info *a, const struct info *b) {
    return a->type == b->type && a->device == b->device && a->inode == b->inode &&
           a->mode == b->mode && a->owner == b->owner && a->group == b->group &&
           (a->type != NODE_FILE || (a->size == b->size && a->modified_ns == b->modified_ns));
}

bool is_filled_with(const struct node *file, const struct buf *bytes) {
    /* One byte more than expected, so that one read shows the end. */
    const size_t size = bytes->len < COMPARED ? bytes->len + 1 : COMPARED;
    char *block = malloc(size);
    bool same = block != NULL, ends = false;
    for (size_t at = 0; same && !ends;) {
        ssize_t n = file->backend->read(file, block, size, (int64_t)at);
        same = n >= 0 && (size_t)n <= bytes->len - at &&
               (n == 0 || memcmp(block, bytes->data + at, (size_t)n) == 0);
        ends = n >= 0 && (size_t)n < size; /* a read is short at the end alone */
        at += same ? (size_t)n : 0;
        same = same && (!ends || at == bytes->len);
    }
    free(block);
    return same;
}

void plan_look_above(struct work *work, const struct place *at, struct info *above) {
    char path[PATH_BYTES_MAX + 1], upper[PATH_BYTES_MAX + 1];
    struct node node;
    struct error ignored;
    for (bool more = parent_path(at->path, path); more;) {
        if (!work->ws->backend->open(work->ws, at->root, path, OPEN_ANY, &node, &ignored)) {
            *above = node.info;
            node_close(&node);
            return;
        }
        more = parent_path(path, upper);
        memcpy(path, upper, sizeof path);
    }
}

/* -- while a commit runs ----------------------------------------------------------------------- */

int fail_stale(const struct aqfs_workspace *ws, const struct place *at, struct error *e) {
    AUTO(buf_free) struct buf path = {0};
    char label[PATH_LABEL];
    place_show(ws, at->root, at->path, at->len, &path);
    return fail(e, AQFS_STALE, "Path '%s' has changed since it was looked at: nothing was done",
                path_label(path.data ? path.data : "", path.len, label));
}

int check_unchanged(const struct aqfs_workspace *ws, const struct parent *p, const char *name,
                    const struct place *at, const struct info *seen, struct error *e) {
    struct info now;
    int code = ws->backend->stat_below(&p->node, name, &now, e);
    bool gone = code == AQFS_NOT_FOUND;
    if (code && !gone)
        return code;
    if (seen->type == NODE_MISSING)
        return gone ? AQFS_OK : fail_stale(ws, at, e);
    if (gone || !same_file(&now, seen))
        return fail_stale(ws, at, e);
    /* A change of attributes shows in no time but changed_ns.  A rename sets that too, and so this
     * commit may have set it by another name of the same file. */
    bool may_be_ours = now.type != NODE_FILE || now.links > 1;
    return may_be_ours || now.changed_ns == seen->changed_ns ? AQFS_OK : fail_stale(ws, at, e);
}

/* -- before a commit begins -------------------------------------------------------------------- */

static bool leads_there(struct work *work, const struct lookup *lookup) {
    struct place at;
    struct text_ref given = {lookup->given, lookup->given_n};
    return workspace_locate(work->ws, given, lookup->flags, &at, &work->error) == AQFS_OK &&
           at.root == lookup->root && strcmp(at.path, lookup->path) == 0;
}

/* Is there nothing at the target of change I, or does an earlier change take it away? */
static bool is_still_missing(struct work *work, const struct plan *p, size_t i) {
    const struct place *at = &p->changes[i]->at;
    struct node node;
    int code = work->ws->backend->open(work->ws, at->root, at->path, OPEN_ANY, &node, &work->error);
    if (!code)
        node_close(&node);
    while (code != AQFS_NOT_FOUND && i-- > 0) {
        const struct change *earlier = p->changes[i];
        const struct place *gone = earlier->kind == CHANGE_DELETE ? &earlier->at
                                   : earlier->kind == CHANGE_MOVE ? &earlier->from
                                                                  : NULL;
        if (gone && gone->root == at->root && strcmp(gone->path, at->path) == 0)
            code = AQFS_NOT_FOUND;
    }
    return code == AQFS_NOT_FOUND;
}

/* Does the file, link or tree at a place still have the hash HELD?
 *
 * The times of a file do not tell.  A program that has mapped it may store to a page that is
 * writable already, and no time changes: on tmpfs never, elsewhere until the page is next written
 * to the disk.  So the bytes are read, unless HELD is "" because they were never read.  Nor do the
 * times of a link: one that is made anew at once may get the same inode and the same times. */
static bool holds_same(struct work *work, const struct change *change, const struct place *at,
                       const struct info *seen, const char *held) {
    char hex[HASH_HEX] = "";
    if (seen->type == NODE_DIRECTORY && change->is_tree) {
        AUTO_FREE struct change *again = calloc(1, sizeof *again);
        if (!again)
            return false;
        *again = (struct change){.kind = change->kind, .at = change->at, .from = change->from};
        return plan_tree(work, again, at, hex) == AQFS_OK && strcmp(hex, held) == 0;
    }
    if (seen->type == NODE_SYMLINK && held[0])
        return plan_hash_link(work, at, hex) == AQFS_OK && strcmp(hex, held) == 0;
    if (seen->type != NODE_FILE || !held[0])
        return true;
    AUTO(node_close) struct node node = {0};
    return work->ws->backend->open(work->ws, at->root, at->path, OPEN_FILE, &node, &work->error) ==
               AQFS_OK &&
           plan_hash_file(work, &node, hex) == AQFS_OK && strcmp(hex, held) == 0;
}

bool plan_only_replaces_what_was_read(const struct plan *p) {
    bool only = p->lookup_n == 0;
    for (size_t i = 0; only && i < p->n; i++) {
        const struct change *change = p->changes[i];
        only = change->kind == CHANGE_WRITE && change->was_read && !change->fetch &&
               !change->from.root;
    }
    return only;
}

/* Is what was SEEN at a place still there, with the hash HELD? */
static bool is_still_there(struct work *work, const struct change *change, const struct place *at,
                           const struct info *seen, const char *held) {
    struct info now;
    if (plan_look(work, at, &now) != AQFS_OK || !same_file(&now, seen) ||
        (seen->type != NODE_DIRECTORY && now.changed_ns != seen->changed_ns))
        return false;
    /* Bytes that a write replaces are compared when the commit keeps writers away (apply_swap), and
     * those that a restore replaces when the snapshot before it is taken. */
    bool is_compared_later = change->fetch || (change->kind == CHANGE_WRITE && change->was_read);
    return (is_compared_later && !change->is_tree) || holds_same(work, change, at, seen, held);
}

static bool change_holds(struct work *work, const struct plan *p, size_t i) {
    struct change *change = p->changes[i];
    struct info above = {0};
    const struct info *was = &change->above;
    /* Changes beside each other are below the same directory, which is looked at once. */
    if (i == 0 || !parent_is_shared(&p->changes[i - 1]->at, &change->at)) {
        plan_look_above(work, &change->at, &above);
        if (above.type != was->type || above.device != was->device || above.inode != was->inode ||
            above.mode != was->mode)
            return false;
    }
    if (change->seen.type == NODE_MISSING
            ? !is_still_missing(work, p, i)
            : !is_still_there(work, change, &change->at, &change->seen, plan_held(change)))
        return false;
    if (!change->from.root)
        return true;
    /* The bytes that a patch takes from another file were read when it was planned. */
    const char *held = change->kind == CHANGE_WRITE ? "" : change->will_hold;
    return is_still_there(work, change, &change->from, &change->seen_from, held);
}

bool plan_holds(struct work *work, struct plan *p) {
    for (size_t i = 0; i < p->lookup_n; i++)
        if (!leads_there(work, &p->lookups[i]))
            return false;
    for (size_t i = 0; i < p->n; i++)
        if (budget_check(&work->budget) != AQFS_OK || !change_holds(work, p, i))
            return false;
    /* Another plan may have made the other parts of a repository meanwhile. */
    return plan_check_made_repositories(work, p) == AQFS_OK;
}
