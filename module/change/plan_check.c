/* plan_check.c -- is all still as it was planned for?
 *
 * SPDX-License-Identifier: MIT
 */
#include "plan_check.h"

#include "cleanup.h"
#include "node.h"
#include "plan_tree.h"

#include <string.h>

/* A modification within this time of being read may not show in a file's times. */
#define RACY_NS 100000000

/* Read at once to be compared. */
#define COMPARED ((size_t)256 * 1024)

bool same_file(const struct info *a, const struct info *b) {
    return a->type == b->type && a->device == b->device && a->inode == b->inode &&
           a->mode == b->mode && a->owner == b->owner && a->group == b->group &&
           (a->type != NODE_FILE || (a->size == b->size && a->modified_ns == b->modified_ns));
}

bool is_filled_with(const struct node *file, const struct buf *bytes) {
    /* One byte more than there ought to be, so that one read shows the end. */
    const size_t size = bytes->len < COMPARED ? bytes->len + 1 : COMPARED;
    AUTO_FREE char *block = malloc(size);
    size_t at = 0;
    for (ssize_t n = 1; block && n > 0; at += (size_t)n) {
        n = file->backend->read(file, block, size, (int64_t)at);
        if (n < 0 || (size_t)n > bytes->len - at ||
            (n > 0 && memcmp(block, bytes->data + at, (size_t)n) != 0))
            return false;
        if ((size_t)n < size)
            return at + (size_t)n == bytes->len;
    }
    return false;
}

bool is_racy(const struct change *change) {
    return change->kind == CHANGE_WRITE && change->read_ns &&
           change->read_ns - change->seen.modified_ns < RACY_NS;
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

/* -- a whole plan ------------------------------------------------------------------------------ */

static bool leads_there(struct work *work, const struct lookup *lookup) {
    struct place at;
    struct text_ref given = {lookup->given, lookup->given_n};
    return workspace_locate(work->ws, given, lookup->flags, &at, &work->error) == AQFS_OK &&
           at.root == lookup->root && strcmp(at.path, lookup->path) == 0;
}

/* Does an earlier change take away what is AT a place? */
static bool is_cleared_before(const struct plan *p, size_t i, const struct place *at) {
    while (i-- > 0) {
        const struct change *earlier = p->changes[i];
        const struct place *gone = earlier->kind == CHANGE_DELETE ? &earlier->at
                                   : earlier->kind == CHANGE_MOVE ? &earlier->from
                                                                  : NULL;
        if (gone && gone->root == at->root && strcmp(gone->path, at->path) == 0)
            return true;
    }
    return false;
}

/* Times tell of a change to a file only where the file system keeps them as Linux's own do, and a
 * file with several names has a time of change that each of them may set. */
static bool times_tell(const struct plan *p, const struct place *at, const struct info *seen) {
    return at->root->is_well_known && seen->links < 2 && seen->changed_ns != TIME_UNKNOWN &&
           p->begun_ns - seen->changed_ns >= RACY_NS;
}

static bool holds_same_bytes(struct work *work, const struct change *change) {
    AUTO(node_close) struct node node = {0};
    return change->read_ns &&
           work->ws->backend->open(work->ws, change->at.root, change->at.path, OPEN_FILE, &node,
                                   &work->error) == AQFS_OK &&
           is_filled_with(&node, &change->old_bytes);
}

/* Is what was SEEN at a place there, with all that is below it of which HASH was made? */
static bool is_still_there(struct work *work, const struct plan *p, const struct change *change,
                           const struct place *at, const struct info *seen, const char *hash) {
    struct info now;
    if (plan_look(work, at, &now) != AQFS_OK || !same_file(&now, seen) ||
        (seen->type != NODE_DIRECTORY && now.changed_ns != seen->changed_ns))
        return false;
    if (change->is_tree && seen->type == NODE_DIRECTORY) {
        AUTO_FREE struct change *again = calloc(1, sizeof *again);
        char hex[HASH_HEX] = "";
        if (!again)
            return false;
        *again = (struct change){.kind = change->kind, .at = change->at, .from = change->from};
        return plan_tree(work, again, at, hex) == AQFS_OK && strcmp(hex, hash) == 0;
    }
    return seen->type != NODE_FILE || times_tell(p, at, seen) ||
           (at == &change->at && holds_same_bytes(work, change));
}

static bool is_still_missing(struct work *work, const struct plan *p, size_t i) {
    const struct change *change = p->changes[i];
    struct node node;
    int code = work->ws->backend->open(work->ws, change->at.root, change->at.path, OPEN_ANY, &node,
                                       &work->error);
    if (!code)
        node_close(&node);
    return code == AQFS_NOT_FOUND || is_cleared_before(p, i, &change->at);
}

static bool is_same_above(const struct info *a, const struct info *b) {
    return a->type == b->type && a->device == b->device && a->inode == b->inode &&
           a->mode == b->mode;
}

static bool change_holds(struct work *work, const struct plan *p, size_t i) {
    const struct change *change = p->changes[i];
    bool shares = i > 0 && parent_is_shared(&p->changes[i - 1]->at, &change->at);
    if (!shares) {
        struct info above = {0};
        plan_look_above(work, &change->at, &above);
        if (!is_same_above(&above, &change->above))
            return false;
    }
    if (change->seen.type == NODE_MISSING
            ? !is_still_missing(work, p, i)
            : !is_still_there(work, p, change, &change->at, &change->seen, change->held))
        return false;
    return !change->from.root ||
           is_still_there(work, p, change, &change->from, &change->seen_from, change->will_hold);
}

bool plan_holds(struct work *work, const struct plan *p) {
    for (size_t i = 0; i < p->lookup_n; i++)
        if (!leads_there(work, &p->lookups[i]))
            return false;
    for (size_t i = 0; i < p->n; i++)
        if (budget_check(&work->budget) != AQFS_OK || !change_holds(work, p, i))
            return false;
    return true;
}
