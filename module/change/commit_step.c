/* commit_step.c -- one step of a commit: what is staged for it, the rename, and whether that
 * renamed what was planned for.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_parts.h"

#include "cleanup.h"

#include <time.h>

/* How long a commit waits for another program that has the file open for writing. */
#define WRITER_ROUNDS 50
#define WRITER_WAIT_NS 1000000

/* -- staging new files
 * ------------------------------------------------------------------------------------- */

/* A change's fetch function writes its error to the call's work, not to this thread's error. */
static int fetch(struct commit *m, const struct change *change, struct buf *out) {
    pthread_mutex_lock(m->fetching);
    int code = change->fetch(m->work, change, SIDE_NEW, out);
    if (code && m->e != &m->work->error)
        *m->e = m->work->error;
    pthread_mutex_unlock(m->fetching);
    return code;
}

static int open_copied(struct commit *m, const struct change *change, struct node *from) {
    int code = m->backend->open(m->ws, change->from.root, change->from.path, OPEN_FILE, from, m->e);
    if (!code && !same_file(&from->info, &change->seen_from))
        return fail_stale(m->ws, &change->from, m->e);
    return code;
}

static int stage_file(struct commit *m, struct commit_step *step, const struct parent *p) {
    struct change *change = step->change;
    AUTO(node_close) struct node like = {0}, from = {0};
    AUTO(buf_free) struct buf fetched = {0};
    struct source source = {.mode = change->mode, .bits = change->bits};
    int code = change->fetch ? fetch(m, change, &fetched) : AQFS_OK;
    const struct buf *bytes = change->fetch ? &fetched : &change->new_bytes;
    source.bytes = bytes->data;
    source.n = bytes->len;
    /* The new file takes the permissions of the file it comes from, or of the one it replaces,
     * which is then kept open for the exchange. */
    if (!code && change->kind == CHANGE_WRITE && change->from.root)
        code =
            m->backend->open(m->ws, change->from.root, change->from.path, OPEN_FILE, &like, m->e);
    else if (!code && change->seen.type == NODE_FILE)
        code = m->backend->open_below(&p->node, p->name, OPEN_FILE, &like, m->e);
    if (!code && change->kind == CHANGE_COPY) {
        code = open_copied(m, change, &from);
        source.file = &from;
    }
    if (code)
        return code;
    const struct node *model = like.backend ? &like : source.file;
    code = m->backend->stage(m->ws, &p->node, step->temp, model, &source, &step->staged, m->e);
    if (code == AQFS_EXISTS) /* another program made it, so undoing must not remove it */
        return fail(m->e, AQFS_RACED, "The temporary name '%s' is taken", step->temp);
    step->touched = true;
    if (code)
        return code;
    step->made = step->staged.info;
    if (!change->from.root && like.backend && step - m->steps < GUARDS) {
        step->guard = like;
        like = (struct node){0};
    }
    return AQFS_OK;
}

int stage_files(struct commit *m, size_t from, size_t to) {
    const bool syncs = m->backend->settle && !m->whole.backend;
    int code = AQFS_OK;
    for (size_t at = from, end; !code && at < to; at = end) {
        const struct node *files[OPEN_AT_ONCE];
        size_t n = 0;
        end = to - at < OPEN_AT_ONCE ? to : at + OPEN_AT_ONCE;
        for (size_t i = at; !code && i < end; i++) {
            struct commit_step *step = &m->steps[i];
            struct parent p;
            if (step->change->kind != CHANGE_WRITE && step->change->kind != CHANGE_COPY)
                continue;
            code = commit_target(m, step, &p);
            code = code ? code : stage_file(m, step, &p);
            if (step->staged.backend && step->staged.info.type == NODE_FILE)
                files[n++] = &step->staged; /* a new link has nothing for the disk but its name */
        }
        if (!code && syncs)
            code = m->backend->settle(files, n, m->e);
        for (size_t i = at; i < end; i++)
            node_close(&m->steps[i].staged);
    }
    return code;
}

/* -- directories ------------------------------------------------------------------------------- */

static int set_made_mode(struct commit *m, const struct parent *p, uint32_t bits) {
    if (!bits || !m->backend->set_mode)
        return AQFS_OK;
    return m->backend->set_mode(&p->node, p->name, bits, m->e);
}

/* Notes the new directory's inode, by which undoing knows it from another of the same name. */
static int stage_directory(struct commit *m, struct commit_step *step) {
    struct parent p;
    const struct place *at = &step->change->at;
    int code = commit_target(m, step, &p);
    if (code)
        return code;
    code = m->backend->make_directory(&p.node, p.name, m->e);
    if (code == AQFS_EXISTS)
        return fail_stale(m->ws, at, m->e);
    if (code)
        return code;
    step->touched = true;
    /* Until the commit ends, we, its owner, must be able to do anything in it. */
    code = set_made_mode(m, &p, step->change->bits ? step->change->bits | 0700 : 0);
    return code ? code : m->backend->stat_below(&p.node, p.name, &step->made, m->e);
}

int finish_directories(struct commit *m) {
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < m->n; i++) {
        struct parent p;
        const struct change *change = m->steps[i].change;
        if (change->kind != CHANGE_MAKE_DIRECTORY || !change->bits || (change->bits & 0700) == 0700)
            continue;
        code = commit_target(m, &m->steps[i], &p);
        code = code ? code : set_made_mode(m, &p, change->bits);
    }
    return code;
}

static bool moves_something(const struct commit *m) {
    for (size_t i = 0; i < m->n; i++)
        if (m->steps[i].change->kind == CHANGE_MOVE)
            return true;
    return false;
}

/* Directories get their own names at once, because the files staged next may lie in them.  Before
 * something is moved into one of them, the disk must have its name: else a loss of power could
 * leave what was moved in a directory that nobody finds. */
int stage_directories(struct commit *m) {
    const bool moves = moves_something(m);
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < m->n; i++) {
        const struct change *change = m->steps[i].change;
        struct parent p;
        if (change->kind != CHANGE_MAKE_DIRECTORY)
            continue;
        code = stage_directory(m, &m->steps[i]);
        if (code || !moves)
            continue;
        code = commit_parent(m, &change->at, &p, m->e);
        if (!code && m->backend->sync(&p.node, m->e))
            code = fail(m->e, AQFS_IO, "The disk does not take the name of a new directory");
    }
    return code;
}

static int fail_step_stale(struct commit *m, const struct commit_step *step) {
    return fail_stale(m->ws, &step->change->at, m->e);
}

/* -- exchanging a file with its successor ------------------------------------------------------ */

/* Keeps writers away from the file that is to be replaced, as far as the system can: otherwise what
 * another program has begun to write would be lost. */
static int guard(struct commit *m, struct commit_step *step, const struct parent *p) {
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
        return fail_step_stale(m, step);
    if (!code && state == GUARD_BUSY) {
        code = fail_step_stale(m, step);
        error_hint(m->e, "Another program has it open for writing");
    }
    return code;
}

/* Do the bytes of the guarded file differ from those that the plan was made from?  Unknown bytes,
 * which were never read, do not. */
static bool has_other_bytes(const struct commit_step *step) {
    const struct change *change = step->change;
    return change->was_read && !is_filled_with(&step->guard, &change->old_bytes);
}

/* Is the file that was displaced the one that the plan was made for, and did no program write to it
 * up to the exchange, or ask to? */
static int check_displaced(struct commit *m, struct commit_step *step, const struct parent *p) {
    struct info old;
    int code = m->backend->stat_below(&p->node, step->temp, &old, m->e);
    if (code)
        return code;
    bool same = same_file(&old, &step->change->seen);
    if (same && step->guarded)
        same = m->backend->guard_holds(&step->guard);
    else if (same) /* nothing kept writers away since the bytes were compared */
        same = !has_other_bytes(step);
    return same ? AQFS_OK : fail_step_stale(m, step);
}

/* Exchanges the two files back immediately: until then readers see content that is being rolled
 * back.  If another program has just put a file of its own at the target, that file stays there.
 * A step that fails here is tried again when the whole commit is undone. */
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

/* The file is compared twice.  Before the exchange, its bytes are compared while the guard keeps
 * writers away: times do not show what a program stores to a page that it has mapped.  After the
 * exchange no program can reach the old file by its name any more, so it is compared for good.
 *
 * The guard stays until the commit has ended or is undone.  A program that wants to write goes on
 * waiting: it would write to a file that has lost its name. */
static int apply_swap(struct commit *m, struct commit_step *step, const struct parent *p) {
    const struct change *change = step->change;
    const struct info *old = &step->guard.info, *seen = &change->seen;
    int code = guard(m, step, p);
    if (!code &&
        (old->inode != seen->inode || old->device != seen->device || has_other_bytes(step)))
        code = fail_step_stale(m, step);
    code = code ? code : check_unchanged(m->ws, p, p->name, &change->at, seen, m->e);
    if (code)
        return code;
    code = m->backend->rename(&p->node, step->temp, &p->node, p->name, RENAME_SWAP, m->e);
    if (code)
        return code == AQFS_NOT_FOUND ? fail_step_stale(m, step) : code;
    step->displaced = true;
    code = check_displaced(m, step, p);
    if (code)
        take_back(m, step, p);
    else if (step - m->steps >= GUARDS)
        node_close(&step->guard);
    return code;
}

int check_quiet(struct commit *m) {
    for (size_t i = 0; i < m->n; i++) {
        struct commit_step *step = &m->steps[i];
        const struct node *old = &step->guard;
        struct parent p;
        struct info now;
        struct error ignored;
        if (!step->displaced)
            continue;
        if (step->guarded && old->backend && !m->backend->guard_holds(old))
            return fail_step_stale(m, step);
        int code = AQFS_OK;
        if (old->backend)
            code = m->backend->stat(old, &now, &ignored);
        else if (!(code = commit_parent(m, &step->change->at, &p, &ignored)))
            code = m->backend->stat_below(&p.node, step->temp, &now, &ignored);
        /* If it cannot be looked at now: it was compared after the exchange. */
        if (!code && !same_file(&now, &step->change->seen))
            return fail_step_stale(m, step);
    }
    return AQFS_OK;
}

/* -- deleting and moving ----------------------------------------------------------------------- */

static int apply_delete(struct commit *m, struct commit_step *step, const struct parent *p) {
    const struct change *change = step->change;
    struct info old;
    int code = check_unchanged(m->ws, p, p->name, &change->at, &change->seen, m->e);
    if (!code)
        code = m->backend->rename(&p->node, p->name, &p->node, step->temp, RENAME_FRESH, m->e);
    if (code)
        return code;
    step->touched = step->displaced = true;
    code = m->backend->stat_below(&p->node, step->temp, &old, m->e);
    return code || same_file(&old, &change->seen) ? code : fail_step_stale(m, step);
}

/* Where a rename is a link and an unlink, one that failed may have done the first.  Then undoing
 * has to know what has both names: it may be what another program has just put at the source. */
static void note_half_moved(struct commit *m, struct commit_step *step, const struct parent *from,
                            const struct parent *p) {
    struct error ignored;
    struct info source, target;
    if (m->backend->stat_below(&from->node, from->name, &source, &ignored) == AQFS_OK &&
        m->backend->stat_below(&p->node, p->name, &target, &ignored) == AQFS_OK &&
        source.inode == target.inode)
        step->moved = target.inode;
}

/* The entry at the destination gets the temporary name first. */
static int apply_move(struct commit *m, struct commit_step *step, const struct parent *p) {
    const struct change *change = step->change;
    const struct info *seen = &change->seen_from;
    struct info now;
    AUTO(parent_close) struct parent from = {0};
    int code = parent_open(m->ws, change->from.root, change->from.path, &from, m->e);
    code = code ? code : m->backend->stat(&from.node, &now, m->e);
    if (!code && (now.inode != change->above_from.inode || now.device != change->above_from.device))
        code = fail_stale(m->ws, &change->from, m->e);
    code = code ? code : check_unchanged(m->ws, &from, from.name, &change->from, seen, m->e);
    if (!code && change->seen.type != NODE_MISSING)
        code = apply_delete(m, step, p);
    if (code)
        return code;
    step->moved = seen->inode;
    code = m->backend->rename(&from.node, from.name, &p->node, p->name, RENAME_FRESH, m->e);
    if (code == AQFS_EXISTS)
        return fail_step_stale(m, step);
    step->touched = step->touched || code != AQFS_NOT_FOUND;
    if (code) {
        note_half_moved(m, step, &from, p);
        return code;
    }
    /* Another program may have exchanged the source after it was checked. */
    code = m->backend->stat_below(&p->node, p->name, &now, m->e);
    if (code) { /* whatever it is, and if it cannot go back now, undoing tries again */
        struct error ignored;
        (void)m->backend->rename(&p->node, p->name, &from.node, from.name, RENAME_FRESH, &ignored);
        return code;
    }
    step->moved = now.inode;
    return same_file(&now, seen) ? AQFS_OK : fail_stale(m->ws, &change->from, m->e);
}

/* -- one step ---------------------------------------------------------------------------------- */

int apply_step(struct commit *m, struct commit_step *step) {
    struct parent p;
    const struct change *change = step->change;
    if (change->kind == CHANGE_MAKE_DIRECTORY || change->clears)
        return AQFS_OK; /* done while the commit was staged */
    /* Opened anew, so that a directory that was moved since staging is noticed. */
    commit_forget_parent(m);
    int code = commit_target(m, step, &p);
    if (code)
        return code;
    if (change->kind == CHANGE_DELETE)
        return apply_delete(m, step, &p);
    if (change->kind == CHANGE_MOVE)
        return apply_move(m, step, &p);
    if (change->seen.type != NODE_MISSING)
        return apply_swap(m, step, &p);
    code = m->backend->rename(&p.node, step->temp, &p.node, p.name, RENAME_FRESH, m->e);
    return code == AQFS_EXISTS ? fail_step_stale(m, step) : code;
}

int apply_clearing(struct commit *m) {
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < m->n; i++) {
        struct commit_step *step = &m->steps[i];
        struct parent p;
        if (!step->change->clears)
            continue;
        commit_forget_parent(m);
        code = commit_target(m, step, &p);
        code = code ? code : apply_delete(m, step, &p);
    }
    return code;
}
