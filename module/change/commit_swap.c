/* commit_swap.c -- guarding what is replaced, and exchanging it with its successor.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_parts.h"

#include <time.h>

/* How long a program that is writing to a file is waited for. */
#define WRITER_ROUNDS 50
#define WRITER_WAIT_NS 1000000

/* Keeps writers away from the file that is to be replaced: what another program has
 * begun to write would be lost. */
static int guard(struct commit *m, struct commit_step *step, const struct parent *p) {
    const struct place *at = &step->change->at;
    struct node *old = &step->guard;
    enum guard_state state = GUARD_BUSY;
    int code = AQFS_OK;
    if (!old->backend)
        code = m->backend->open_below(&p->node, p->name, OPEN_FILE, old, m->e);
    for (int round = 0; !code && state == GUARD_BUSY && round < WRITER_ROUNDS; round++) {
        if (round > 0)
            (void)nanosleep(&(struct timespec){.tv_nsec = WRITER_WAIT_NS}, NULL);
        state = m->backend->guard(old);
    }
    step->guarded = !code && state == GUARD_HELD;
    if (code == AQFS_NOT_FOUND || code == AQFS_RACED || code == AQFS_NOT_REGULAR ||
        code == AQFS_IS_DIRECTORY)
        return fail_stale(m, at);
    if (!code && state == GUARD_BUSY) {
        code = fail_stale(m, at);
        error_hint(m->e, "Another program has it open for writing");
    }
    return code;
}

/* Was it, up to the exchange, the file that was looked at, and did nobody ask to write to it? */
static int check_displaced(struct commit *m, struct commit_step *step, const struct parent *p) {
    const struct change *change = step->change;
    struct info old;
    int code = m->backend->stat_below(&p->node, step->temp, &old, m->e);
    if (code)
        return code;
    bool same = same_file(&old, &change->seen);
    if (same && step->guarded)
        same = m->backend->guard_holds(&step->guard);
    else if (same && is_racy(change))
        same = is_filled_with(&step->guard, &change->old_bytes);
    return same ? AQFS_OK : fail_stale(m, &change->at);
}

/* At once: until then others see what is not to be.  What somebody has put in its stead in the last
 * moment stays.  What fails here is tried again when all is undone. */
static void take_back(struct commit *m, struct commit_step *step, const struct parent *p) {
    const struct node *dir = &p->node;
    struct error ignored;
    struct info now;
    if (m->backend->rename(dir, step->temp, dir, p->name, RENAME_SWAP, &ignored))
        return;
    step->displaced = false;
    if (m->backend->stat_below(dir, step->temp, &now, &ignored) == AQFS_OK &&
        !same_file(&now, &step->made) &&
        m->backend->rename(dir, step->temp, dir, p->name, RENAME_SWAP, &ignored) == AQFS_OK)
        step->displaced = true;
}

/* Is what is open what was read?  That the name still means it is seen in the directory. */
static bool is_seen(const struct commit_step *step) {
    const struct change *change = step->change;
    const struct info *old = &step->guard.info;
    return old->inode == change->seen.inode && old->device == change->seen.device &&
           (!is_racy(change) || is_filled_with(&step->guard, &change->old_bytes));
}

/* After the exchange nobody can reach the old file by its name any more: now compare.  Who wants to
 * write to it goes on waiting until the commit has ended or is undone: it would write to what has
 * lost its name, and next find, and write to, what is about to be taken away. */
int apply_swap(struct commit *m, struct commit_step *step, const struct parent *p) {
    struct change *change = step->change;
    int code = guard(m, step, p);
    if (!code && !is_seen(step))
        code = fail_stale(m, &change->at);
    code = code ? code : check_unchanged(m, p, p->name, &change->at, &change->seen);
    code = code ? code
                : m->backend->rename(&p->node, step->temp, &p->node, p->name, RENAME_SWAP, m->e);
    if (code == AQFS_NOT_FOUND)
        return fail_stale(m, &change->at);
    if (code)
        return code;
    step->displaced = true;
    code = check_displaced(m, step, p);
    if (code)
        take_back(m, step, p);
    else if (step - m->steps >= GUARDS)
        node_close(&step->guard);
    return code;
}

/* Has somebody written to what was replaced or deleted, who had it open or was about to?  Where it
 * cannot be looked at once more, it was looked at before. */
int check_quiet(struct commit *m, struct commit_step *step) {
    struct parent p;
    struct info now;
    struct error ignored;
    const struct change *change = step->change;
    const struct node *old = &step->guard;
    if (!step->displaced)
        return AQFS_OK;
    if (step->guarded && old->backend && !m->backend->guard_holds(old))
        return fail_stale(m, &change->at);
    int code = AQFS_OK;
    if (old->backend)
        code = m->backend->stat(old, &now, &ignored);
    else if (!(code = commit_parent(m, &change->at, &p, &ignored)))
        code = m->backend->stat_below(&p.node, step->temp, &now, &ignored);
    return code || same_file(&now, &change->seen) ? AQFS_OK : fail_stale(m, &change->at);
}
