/* commit_check.c -- is it still what was planned for?
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_parts.h"

#include "cleanup.h"

#include <string.h>

/* A modification within this time of being read may not show in a file's times. */
#define RACY_NS 100000000

/* Read at once to be compared. */
#define COMPARED ((size_t)256 * 1024)

int fail_stale(struct commit *m, const struct place *at) {
    AUTO(buf_free) struct buf path = {0};
    char label[PATH_LABEL];
    place_show(m->ws, at->root, at->path, at->len, &path);
    return fail(m->e, AQFS_STALE, "Path '%s' has changed since it was looked at: nothing was done",
                path_label(path.data ? path.data : "", path.len, label));
}

bool same_file(const struct info *a, const struct info *b) {
    return a->type == b->type && a->device == b->device && a->inode == b->inode &&
           a->mode == b->mode && a->owner == b->owner && a->group == b->group &&
           (a->type != NODE_FILE || (a->size == b->size && a->modified_ns == b->modified_ns));
}

/* Attributes have no other time than this one, which a rename changes too: it tells nothing of what
 * this commit has renamed, be it by another of its names. */
static bool same_attributes(const struct info *a, const struct info *b) {
    return a->type != NODE_FILE || a->links > 1 || a->changed_ns == b->changed_ns;
}

int check_unchanged(struct commit *m, const struct parent *p, const char *name,
                    const struct place *at, const struct info *seen) {
    struct info now;
    int code = m->backend->stat_below(&p->node, name, &now, m->e);
    if (seen->type == NODE_MISSING)
        return code == AQFS_NOT_FOUND ? AQFS_OK : code ? code : fail_stale(m, at);
    if (code && code != AQFS_NOT_FOUND)
        return code;
    return code || !same_file(&now, seen) || !same_attributes(&now, seen) ? fail_stale(m, at)
                                                                          : AQFS_OK;
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
