/* commit_apply.c -- one step: a rename, and whether it renamed what was planned for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_parts.h"

#include "cleanup.h"

static int rename_within(struct commit *m, const struct parent *p, const char *from, const char *to,
                         enum rename_kind kind) {
    return m->backend->rename(&p->node, from, &p->node, to, kind, m->e);
}

static int apply_fresh(struct commit *m, struct commit_step *step, const struct parent *p) {
    int code = rename_within(m, p, step->temp, p->name, RENAME_FRESH);
    return code == AQFS_EXISTS ? fail_stale(m, &step->change->at) : code;
}

static int apply_delete(struct commit *m, struct commit_step *step, const struct parent *p) {
    struct change *change = step->change;
    struct info old;
    int code = check_unchanged(m, p, p->name, &change->at, &change->seen);
    code = code ? code : rename_within(m, p, p->name, step->temp, RENAME_FRESH);
    if (code)
        return code;
    step->touched = step->displaced = true;
    code = m->backend->stat_below(&p->node, step->temp, &old, m->e);
    return code || same_file(&old, &change->seen) ? code : fail_stale(m, &change->at);
}

/* What came along need not be what was looked at before. */
static int check_moved(struct commit *m, struct commit_step *step, const struct parent *p) {
    struct info now;
    const struct info *seen = &step->change->seen_from;
    step->touched = true;
    step->moved = seen->inode;
    int code = m->backend->stat_below(&p->node, p->name, &now, m->e);
    if (code)
        return code;
    step->moved = now.inode;
    return same_file(&now, seen) ? AQFS_OK : fail_stale(m, &step->change->from);
}

/* What stood at the destination goes to the temporary name first. */
static int apply_move(struct commit *m, struct commit_step *step, const struct parent *p) {
    struct change *change = step->change;
    AUTO(parent_close) struct parent from = {0};
    int code = parent_open(m->ws, change->from.root, change->from.path, &from, m->e);
    code = code ? code : check_unchanged(m, &from, from.name, &change->from, &change->seen_from);
    if (!code && change->seen.type != NODE_MISSING)
        code = apply_delete(m, step, p);
    if (code)
        return code;
    code = m->backend->rename(&from.node, from.name, &p->node, p->name, RENAME_FRESH, m->e);
    if (code == AQFS_EXISTS)
        return fail_stale(m, &change->at);
    return code ? code : check_moved(m, step, p);
}

/* The path is looked at anew: a directory that was moved since staging is noticed. */
int apply_step(struct commit *m, struct commit_step *step) {
    struct parent p;
    const struct change *change = step->change;
    if (change->kind == CHANGE_MAKE_DIRECTORY || change->clears)
        return AQFS_OK; /* done already */
    commit_forget_parent(m);
    int code = commit_parent(m, &change->at, &p, m->e);
    if (code)
        return code;
    if (change->kind == CHANGE_DELETE)
        return apply_delete(m, step, &p);
    if (change->kind == CHANGE_MOVE)
        return apply_move(m, step, &p);
    return change->seen.type == NODE_MISSING ? apply_fresh(m, step, &p) : apply_swap(m, step, &p);
}

int apply_clearing(struct commit *m, struct commit_step *step) {
    struct parent p;
    if (!step->change->clears)
        return AQFS_OK;
    commit_forget_parent(m);
    int code = commit_parent(m, &step->change->at, &p, m->e);
    code = code ? code : apply_delete(m, step, &p);
    commit_forget_parent(m); /* it may have been where something else is to be made */
    return code;
}
