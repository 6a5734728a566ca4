/* commit.c -- doing what a plan says: the whole, and its order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit.h"

#include "cleanup.h"
#include "commit_parts.h"
#include "journal.h"
#include "pending_cleanup.h"
#include "undo.h"

#include <string.h>

/* From this many new files on, their file system is synced as a whole, where that can be done.
 * Syncing them one by one makes the disk empty its cache each time. */
#define MANY 16

/* -- the journal ------------------------------------------------------------------------------- */

static struct journal_step record_of(const struct commit *m, const struct commit_step *step) {
    const struct change *change = step->change;
    bool moves = change->kind == CHANGE_MOVE, is_new = change->seen.type == NODE_MISSING;
    const char *kind = change->kind == CHANGE_MAKE_DIRECTORY ? "mkdir"
                       : moves                               ? "move"
                       : change->kind == CHANGE_DELETE       ? "delete"
                       : is_new                              ? "create"
                                                             : "write";
    return (struct journal_step){
        .kind = kind,
        .root = (size_t)(change->at.root - m->ws->roots),
        .path = change->at.path,
        .from = moves ? change->from.path : NULL,
        .from_root = moves ? (size_t)(change->from.root - m->ws->roots) : 0,
        .temp = step->temp,
        .directory = step->directory        ? step->directory
                     : m->makes_directories ? 0
                                            : change->above.inode,
        .moved = !moves        ? 0
                 : step->moved ? step->moved
                               : change->seen_from.inode,
        .old = {is_new ? 0 : change->seen.inode, change->seen.size, change->seen.modified_ns},
        .made = {step->made.inode, step->made.size, step->made.modified_ns},
    };
}

static int write_journal(struct commit *m, enum journal_state state, bool durable) {
    /* "Done" names no steps: it means those of the record before it. */
    if (state == JOURNAL_DONE && m->n > 1)
        return journal_write(m->ws, state, NULL, 0, durable, m->e);
    for (size_t i = 0; i < m->n; i++)
        m->records[i] = record_of(m, &m->steps[i]);
    return journal_write(m->ws, state, m->records, m->n, durable, m->e);
}

/* -- what the disk must have ------------------------------------------------------------------- */

/* Chooses how the new files are synced, before they are staged: opens `whole`, if there are many of
 * them below one root. */
static void sync_begin(struct commit *m) {
    struct error ignored;
    const struct root *root = m->steps[0].change->at.root;
    size_t n = 0;
    for (size_t i = 0; i < m->n; i++) {
        const struct change *change = m->steps[i].change;
        if (change->at.root != root)
            return;
        n += change->kind == CHANGE_WRITE || change->kind == CHANGE_COPY;
    }
    if (n < MANY || !m->backend->settles_whole ||
        m->backend->open(m->ws, root, "", OPEN_DIRECTORY, &m->whole, &ignored))
        return;
    if (!m->backend->settles_whole(&m->whole))
        node_close(&m->whole);
}

/* Has the disk take the permissions of a directory that was made in P and given some: they are not
 * among the names in P. */
static int sync_made(struct commit *m, const struct change *change, const struct parent *p) {
    AUTO(node_close) struct node made = {0};
    if (change->kind != CHANGE_MAKE_DIRECTORY || !change->bits)
        return AQFS_OK;
    int code = m->backend->open_below(&p->node, p->name, OPEN_DIRECTORY, &made, m->e);
    return code ? code : m->backend->sync(&made, m->e);
}

/* Is PLACE in a directory that this commit has deleted?  That has no names any more: the disk must
 * have that it is gone, which is a name in the directory above it. */
static bool is_in_deleted(const struct commit *m, const struct place *place) {
    for (size_t i = 0; i < m->n; i++) {
        const struct change *change = m->steps[i].change;
        if (change->kind == CHANGE_DELETE && change->is_tree && change->at.root == place->root &&
            path_is_below(place->path, place->len, change->at.path, change->at.len))
            return true;
    }
    return false;
}

/* Has the disk take the new names.  AQFS_DURABILITY_UNKNOWN if that fails. */
static int sync_names(struct commit *m) {
    if (!m->backend->durable)
        return AQFS_OK;
    /* Asked again: other programs' data may be waiting by now, which a whole sync would wait for.
     */
    if (m->whole.backend && m->backend->settles_whole(&m->whole))
        return m->backend->settle_whole(&m->whole, m->e) ? fail_durability(m->e) : AQFS_OK;
    /* Each directory once, as long as changes come directory by directory. */
    const struct place *synced = NULL;
    for (size_t i = 0; i < m->n; i++) {
        const struct change *change = m->steps[i].change;
        /* The target's directory is the last of the two: discard_old wants it again. */
        const struct place *places[] = {change->kind == CHANGE_MOVE ? &change->from : NULL,
                                        &change->at};
        for (size_t j = 0; j < 2; j++) {
            struct parent p;
            if (j == 0 && places[j] && is_in_deleted(m, places[j]))
                continue;
            bool again = places[j] && synced && parent_is_shared(synced, places[j]);
            if (!places[j] || (again && change->kind != CHANGE_MAKE_DIRECTORY))
                continue;
            if (commit_parent(m, places[j], &p, m->e) || sync_made(m, change, &p) ||
                (!again && m->backend->sync(&p.node, m->e)))
                return fail_durability(m->e);
            synced = places[j];
        }
    }
    return AQFS_OK;
}

/* -- undoing, and ending ----------------------------------------------------------------------- */

/* Looks for what did not get its name back when STEP was undone: it has the name that undo.c gave
 * it, KEPT, or is where it was moved to.  AQFS_NOT_FOUND if there is nothing. */
static int find_kept(struct commit *m, const struct commit_step *step, const char *kept,
                     const char **name) {
    struct parent p;
    struct info now;
    struct error ignored;
    int code = commit_parent(m, &step->change->at, &p, &ignored);
    if (code)
        return code;
    *name = kept;
    code = m->backend->stat_below(&p.node, kept, &now, &ignored);
    if (code != AQFS_NOT_FOUND || step->change->kind != CHANGE_MOVE)
        return code;
    *name = step->change->at.path;
    code = m->backend->stat_below(&p.node, p.name, &now, &ignored);
    return code || now.inode == record_of(m, step).moved ? code : AQFS_NOT_FOUND;
}

/* Undoing overwrites nothing.  So where another program has taken a name meanwhile, what had it
 * keeps the name that the step gave it, and the caller is told which. */
static void tell_of_taken_name(struct commit *m, const struct commit_step *step) {
    char aside[TEMPORARY_NAME];
    const char *kept = NULL;
    temporary_kept(step->temp, aside);
    int code = find_kept(m, step, aside, &kept);
    if (code && code != AQFS_NOT_FOUND)
        error_hint(m->e, "It could not be seen whether all was put back as it was");
    if (code)
        return;
    bool moved = kept != aside;
    const struct place *at = moved ? &step->change->from : &step->change->at;
    char label[PATH_LABEL], kept_label[PATH_LABEL];
    error_hint(m->e, "Another program has taken the name %s: what had it is now %s%s",
               path_label(at->path, at->len, label), path_label(kept, strlen(kept), kept_label),
               moved ? "" : " beside it");
}

/* Keeps the error that made this necessary: an error while undoing becomes a hint. */
static void undo(struct commit *m) {
    for (size_t i = m->n; i-- > 0;) {
        m->records[i] = record_of(m, &m->steps[i]);
        if (m->steps[i].touched && !undo_step(m->ws, &m->records[i]))
            m->needs_cleanup = true;
    }
    for (size_t i = 0; !m->needs_cleanup && i < m->n; i++)
        if (m->steps[i].touched && m->steps[i].change->kind != CHANGE_MAKE_DIRECTORY)
            tell_of_taken_name(m, &m->steps[i]);
    if (m->needs_cleanup)
        error_hint(m->e, "Not all could be put back as it was: it is tried again before the next "
                         "change, and when the workspace is next opened");
}

/* Removes what was replaced or deleted, by the temporary names that nobody else knows. */
static int discard_old(struct commit *m, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        const struct commit_step *step = &m->steps[i];
        struct parent p;
        struct error ignored;
        if (!step->displaced)
            continue;
        bool gone = step->change->seen.type != NODE_DIRECTORY &&
                    commit_parent(m, &step->change->at, &p, &ignored) == AQFS_OK &&
                    m->backend->remove(&p.node, step->temp, false, &ignored) == AQFS_OK;
        if (gone)
            continue;
        m->records[i] = record_of(m, step);
        if (!undo_finish(m->ws, &m->records[i])) /* which tries more than once */
            m->needs_cleanup = true;
    }
    return AQFS_OK;
}

/* Says what has been answered, so that a later cleanup does not guess it from a tree that others
 * may have changed since.  The answer's error is not touched. */
static bool record_answer(struct commit *m, enum journal_state state, bool durable) {
    struct error ignored, *answered = m->e;
    m->e = &ignored;
    const int code = write_journal(m, state, durable);
    m->e = answered;
    return code == AQFS_OK;
}

/* A killed process needs no disk: the journal of one step does not wait for it. */
bool commit_is_known_done(struct commit *m) {
    return m->n > 1 || record_answer(m, JOURNAL_DONE, false);
}

/* -- the whole --------------------------------------------------------------------------------- */

/* DO_WINDOW for all steps, by several threads if there are more than one thread takes. */
static int in_windows(struct commit *m, int (*do_window)(struct commit *, size_t, size_t)) {
    return m->n > WINDOW ? commit_windows(m, do_window) : do_window(m, 0, m->n);
}

static int apply_window(struct commit *m, size_t from, size_t to) {
    int code = AQFS_OK;
    for (size_t i = from; !code && i < to; i++)
        code = apply_step(m, &m->steps[i]);
    return code;
}

/* Makes everything that is new, under names that nobody looks for, and has the disk take it. */
static int stage(struct commit *m, bool many) {
    int code = m->clears ? apply_clearing(m) : AQFS_OK;
    if (!code && m->makes_directories) {
        code = stage_directories(m);
        /* No fsync needed: if this record is lost, recovery compares the times of directories. */
        if (!code && many)
            code = write_journal(m, JOURNAL_STAGING, false);
    }
    code = code ? code : in_windows(m, stage_files);
    if (!code && m->whole.backend)
        code = m->backend->settle_whole(&m->whole, m->e);
    return code;
}

static int name_temporaries(struct commit *m) {
    int code = journal_begin(m->ws, m->e);
    for (size_t i = 0; !code && i < m->n; i++)
        if (!journal_temporary(m->ws, m->steps[i].temp))
            code = fail(m->e, AQFS_IO, "No random name could be made: getrandom failed");
    return code;
}

/* Must the disk have the journal before anything is done?  Of one step only in a directory that the
 * journal on the disk does not tell of, since a loss of power could leave a temporary name there;
 * and of a move, which can be two renames. */
static bool must_wait(const struct commit *m) {
    const struct journal_step step = record_of(m, &m->steps[0]);
    const enum change_kind kind = m->steps[0].change->kind;
    return m->n > 1 || kind == CHANGE_MOVE ||
           (kind != CHANGE_MAKE_DIRECTORY && !journal_knows(m->ws, &step));
}

/* The commit counts from when the journal says it is done: a crash before that is followed by
 * undoing it.  So the disk must have the new names before that record.
 *
 * A commit of one step does not wait for the journal, but see must_wait.  The tree shows whether
 * its one rename happened, and whatever the disk has of the journal, undo_lone never takes back
 * what was done. */
static int commit(struct commit *m) {
    const bool many = m->n > 1;
    int synced = AQFS_OK, code = name_temporaries(m);
    code = code ? code : write_journal(m, JOURNAL_STAGING, must_wait(m));
    if (code)
        return code;
    if (m->n >= MANY)
        sync_begin(m);
    code = stage(m, many);
    code = code ? code : write_journal(m, JOURNAL_APPLYING, many);
    /* A deletion or a move makes room for later steps, so such a commit keeps their order. */
    if (!code)
        code = m->in_any_order ? in_windows(m, apply_window) : apply_window(m, 0, m->n);
    if (!code && m->makes_directories)
        code = finish_directories(m);
    if (!code) {
        synced = sync_names(m);
        code = check_quiet(m);
        if (!code && many)
            code = write_journal(m, JOURNAL_DONE, true);
        if (code == AQFS_DURABILITY_UNKNOWN) {
            synced = code;
            code = AQFS_OK;
        }
    }
    if (code) {
        undo(m);
    } else {
        commit_keep(m, synced == AQFS_OK);
        (void)in_windows(m, discard_old);
    }
    if (m->needs_cleanup && !many)
        (void)record_answer(m, code ? JOURNAL_UNDOING : JOURNAL_DONE, true);
    return code ? code : synced;
}

/* Makes a step of each change that changes something. */
static void list_steps(struct commit *m, const struct plan *p) {
    m->in_any_order = true;
    for (size_t i = 0; i < p->n; i++) {
        struct change *change = p->changes[i];
        struct commit_step *step = &m->steps[m->n];
        if (change->unchanged)
            continue;
        step->change = change;
        m->makes_directories = m->makes_directories || change->kind == CHANGE_MAKE_DIRECTORY;
        m->clears = m->clears || change->clears;
        m->in_any_order =
            m->in_any_order && change->kind != CHANGE_DELETE && change->kind != CHANGE_MOVE;
        m->n++;
    }
}

static void end_journal(struct commit *m, int code) {
    struct aqfs_workspace *ws = m->ws;
    const bool done = !code || code == AQFS_DURABILITY_UNKNOWN;
    if (m->needs_cleanup) {
        /* The journal of one step may not say what was answered, if nothing more could be written
         * to it, and recovery would guess.  So it stays ours until all is cleaned up. */
        bool remembers = !ws->journal || m->n == 1;
        if (!remembers || !pending_cleanup_keep(ws, m->records, m->n, done))
            journal_leave(ws);
    } else {
        journal_rest(ws, !done);
    }
}

int plan_commit(struct work *work, struct plan *p) {
    AUTO_FREE struct commit_step *steps = calloc(p->n + 1, sizeof *steps);
    AUTO_FREE struct journal_step *records = calloc(p->n + 1, sizeof *records);
    pthread_mutex_t fetching = PTHREAD_MUTEX_INITIALIZER;
    struct commit m = {.work = work,
                       .plan = p,
                       .ws = work->ws,
                       .backend = work->ws->backend,
                       .steps = steps,
                       .records = records,
                       .fetching = &fetching,
                       .e = &work->error};
    if (!steps || !records)
        return fail_memory(&work->error);
    list_steps(&m, p);
    if (m.n == 0)
        return AQFS_OK;
    int code = commit_lock(work->ws, &work->budget, &work->error);
    if (code)
        return code;
    code = commit(&m);
    commit_forget_parent(&m);
    node_close(&m.whole);
    for (size_t i = 0; i < m.n; i++)
        node_close(&steps[i].guard);
    end_journal(&m, code);
    commit_unlock(work->ws);
    return code;
}
