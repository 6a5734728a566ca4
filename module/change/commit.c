/* commit.c -- doing what a plan says: the whole, and its order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit.h"

#include "cleanup.h"
#include "commit_lock.h"
#include "commit_parts.h"
#include "pending_cleanup.h"
#include "undo.h"

#include <string.h>

/* -- directories ------------------------------------------------------------------------------ */

void commit_forget_parent(struct commit *m) {
    parent_close(&m->kept);
    m->kept_for = NULL;
}

int commit_parent(struct commit *m, const struct place *at, struct parent *out, struct error *e) {
    if (!m->kept_for || !parent_is_shared(m->kept_for, at)) {
        commit_forget_parent(m);
        int code = parent_open(m->ws, at->root, at->path, &m->kept, e);
        if (code)
            return code;
        m->kept_for = at;
    }
    *out = m->kept;
    out->name = path_basename(at->path);
    return AQFS_OK;
}

/* -- the journal ------------------------------------------------------------------------------ */

static const char *journal_kind(const struct commit_step *step) {
    switch (step->change->kind) {
    case CHANGE_MAKE_DIRECTORY:
        return "mkdir";
    case CHANGE_MOVE:
        return "move";
    case CHANGE_DELETE:
        return "delete";
    default:
        return step->change->seen.type == NODE_MISSING ? "create" : "write";
    }
}

static struct journal_step record_of(const struct commit *m, const struct commit_step *step) {
    const struct change *change = step->change;
    bool moves = change->kind == CHANGE_MOVE;
    return (struct journal_step){
        .kind = journal_kind(step),
        .root = (size_t)(change->at.root - m->ws->roots),
        .path = change->at.path,
        .from = moves ? change->from.path : NULL,
        .from_root = moves ? (size_t)(change->from.root - m->ws->roots) : 0,
        .temp = step->temp,
        .moved = !moves        ? 0
                 : step->moved ? step->moved
                               : change->seen_from.inode,
        .old = {change->seen.type == NODE_MISSING ? 0 : change->seen.inode, change->seen.size,
                change->seen.modified_ns},
        .made = {step->made.inode, step->made.size, step->made.modified_ns},
    };
}

static int write_journal(struct commit *m, enum journal_state state, bool durable) {
    if (state == JOURNAL_DONE && m->n > 1) /* as they were when they were begun */
        return journal_write(m->ws, state, NULL, 0, durable, m->e);
    for (size_t i = 0; i < m->n; i++)
        m->records[i] = record_of(m, &m->steps[i]);
    return journal_write(m->ws, state, m->records, m->n, durable, m->e);
}

/* -- undoing, and ending ---------------------------------------------------------------------- */

/* An error while undoing is not told: the one that made it necessary is. */
static void undo(struct commit *m) {
    for (size_t i = m->n; i-- > 0;) {
        m->records[i] = record_of(m, &m->steps[i]);
        if (m->steps[i].touched && !undo_step(m->ws, &m->records[i]))
            m->needs_cleanup = true;
    }
    if (m->needs_cleanup)
        error_hint(m->e, "Not all could be put back as it was: it is tried again before the next "
                         "change, and when the workspace is next opened");
}

/* Removes what was replaced or deleted.  It no longer has a name that anybody knows, and is looked
 * for where it was left. */
static int discard_old(struct commit *m, size_t from, size_t to) {
    struct parent p;
    struct error ignored;
    for (size_t i = from; i < to; i++) {
        if (!m->steps[i].displaced)
            continue;
        bool whole = commit_parent(m, &m->steps[i].change->at, &p, &ignored)
                         ? undo_finish(m->ws, &m->records[i]) /* which tries more than once */
                         : undo_discard(m->ws, &p, m->steps[i].temp);
        m->needs_cleanup = m->needs_cleanup || !whole;
    }
    return AQFS_OK;
}

/* -- the whole -------------------------------------------------------------------------------- */

static int each(struct commit *m, int (*do_step)(struct commit *, struct commit_step *)) {
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < m->n; i++)
        code = do_step(m, &m->steps[i]);
    return code;
}

static int apply_window(struct commit *m, size_t from, size_t to) {
    int code = AQFS_OK;
    for (size_t i = from; !code && i < to; i++)
        code = apply_step(m, &m->steps[i]);
    return code;
}

/* What is deleted or moved makes room for what comes after it; new bytes wait for nothing. */
static int apply(struct commit *m) {
    bool in_any_order = true;
    for (size_t i = 0; i < m->n; i++) {
        enum change_kind kind = m->steps[i].change->kind;
        in_any_order = in_any_order && kind != CHANGE_DELETE && kind != CHANGE_MOVE;
    }
    return in_any_order ? commit_windows(m, apply_window) : apply_window(m, 0, m->n);
}

static int stage_all(struct commit *m, bool durable) {
    bool any;
    int code = each(m, apply_clearing);
    code = code ? code : stage_directories(m, &any);
    /* Not synced: who finds only the line before it looks at times instead. */
    if (!code && any && durable)
        code = write_journal(m, JOURNAL_STAGING, false);
    code = code ? code : commit_windows(m, stage_files);
    return code ? code : sync_staged(m);
}

/* The commit counts when the journal says it is done: until then a crash undoes it.  So the disk
 * has the names before it has that.  One step alone is done or is not, which shows in the tree:
 * that saves waiting for the journal, and whatever of it the disk has, undo_lone never takes back
 * what was done. */
static int commit(struct commit *m) {
    bool many = m->n > 1;
    int synced = AQFS_OK, code = write_journal(m, JOURNAL_STAGING, many);
    if (code)
        return code;
    sync_begin(m);
    code = stage_all(m, many);
    code = code ? code : write_journal(m, JOURNAL_APPLYING, many);
    code = code ? code : apply(m);
    code = code ? code : each(m, finish_directory);
    if (!code) {
        synced = sync_names(m);
        code = each(m, check_quiet);
        if (!code && many)
            code = write_journal(m, JOURNAL_DONE, true);
        if (code == AQFS_DURABILITY_UNKNOWN) {
            synced = code;
            code = AQFS_OK;
        }
    }
    if (code)
        undo(m);
    else
        (void)commit_windows(m, discard_old);
    /* Whoever removes the rest must not judge by a tree that others have changed since. */
    if (!code && m->needs_cleanup && !many)
        (void)write_journal(m, JOURNAL_DONE, true);
    return code ? code : synced;
}

static int take_names(struct commit *m, struct plan *p) {
    for (size_t i = 0; i < p->n; i++) {
        struct commit_step *step = &m->steps[m->n];
        if (p->changes[i]->unchanged)
            continue;
        step->change = p->changes[i];
        if (!temporary_name(step->temp))
            return fail(m->e, AQFS_IO, "No random name could be made");
        m->n++;
    }
    return AQFS_OK;
}

int plan_commit(struct work *work, struct plan *p) {
    AUTO_FREE struct commit_step *steps = calloc(p->n + 1, sizeof *steps);
    AUTO_FREE struct journal_step *records = calloc(p->n + 1, sizeof *records);
    pthread_mutex_t fetching = PTHREAD_MUTEX_INITIALIZER;
    struct commit m = {.work = work,
                       .ws = work->ws,
                       .backend = work->ws->backend,
                       .steps = steps,
                       .records = records,
                       .fetching = &fetching,
                       .e = &work->error};
    if (!steps || !records)
        return fail_memory(&work->error);
    int code = take_names(&m, p);
    if (code || m.n == 0)
        return code;
    code = commit_lock(work->ws, &work->budget, &work->error);
    if (code)
        return code;
    code = commit(&m);
    commit_forget_parent(&m);
    node_close(&m.whole);
    for (size_t i = 0; i < m.n; i++)
        node_close(&steps[i].guard);
    if (m.needs_cleanup && !work->ws->journal)
        pending_cleanup_keep(work->ws, records, m.n, !code);
    if (m.needs_cleanup)
        journal_leave(work->ws);
    else if (!code && m.n == 1 && steps[0].change->kind == CHANGE_WRITE)
        journal_keep(work->ws);
    else
        journal_clear(work->ws);
    commit_unlock(work->ws);
    return code;
}
