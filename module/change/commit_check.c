/* commit_check.c -- is it still what was planned for?
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_parts.h"

#include "cleanup.h"

#include <string.h>

int fail_stale(struct commit *m, const struct place *at) {
    AUTO(buf_free) struct buf path = {0};
    char label[PATH_LABEL];
    place_show(m->ws, at->root, at->path, at->len, &path);
    return fail(m->e, AQFS_STALE, "Path '%s' has changed since it was looked at: nothing was done",
                path_label(path.data ? path.data : "", path.len, label));
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
