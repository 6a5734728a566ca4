/* undo.c -- putting one step back, or bringing it to its end, from what the tree shows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "undo.h"

#include "clock.h"
#include "node.h"
#include "own_file.h"
#include "tree_remove.h"

#include <sched.h>
#include <string.h>

/* How often opening is tried again when the directory is exchanged while we open it. */
#define ROUNDS 64

/* The directories of a commit are made within this time of writing the journal. */
#define MADE_WITHIN_NS INT64_C(1000000000)

struct undo {
    struct aqfs_workspace *ws;
    const struct journal_step *step;
    struct parent parent;
    bool needs_retry; /* something failed that may not fail the next time */
    struct error ignored;
};

/* Not found, or already there, needs no second attempt: another program has taken the file away or
 * put its own there, and that stays. */
static bool note_result(struct undo *u, int code) {
    u->needs_retry = u->needs_retry || (code && code != AQFS_NOT_FOUND && code != AQFS_EXISTS);
    return code == AQFS_OK;
}

/* Is there nothing at the path of a directory that the commit had open?  It may be under another
 * name for a while. */
static bool is_elsewhere(const struct undo *u, int code) {
    return code == AQFS_NOT_FOUND && u->step->directory;
}

/* While another program exchanges directories all the time, about every other attempt succeeds. */
static bool open_at(struct undo *u, size_t root, const char *path, struct parent *out) {
    int code = AQFS_RACED;
    for (int round = 0; round < ROUNDS && (code == AQFS_RACED || is_elsewhere(u, code)); round++) {
        code = parent_open(u->ws, &u->ws->roots[root], path, out, &u->ignored);
        if (is_elsewhere(u, code))
            (void)sched_yield(); /* that program may wait for this processor */
    }
    /* The journal stays then, until it is back, or is still not there at the next opening. */
    return note_result(u, is_elsewhere(u, code) ? AQFS_RACED : code);
}

/* Opens the directory of the target, which must be the one that the step was begun in: it may have
 * another name for a while. */
static bool open_target(struct undo *u) {
    const struct journal_step *step = u->step;
    struct info now = {0};
    for (int round = 0; round < ROUNDS; round++) {
        if (!open_at(u, step->root, step->path, &u->parent))
            return false;
        if (!step->directory || (!u->ws->backend->stat(&u->parent.node, &now, &u->ignored) &&
                                 now.inode == step->directory))
            return true;
        parent_close(&u->parent);
    }
    return note_result(u, AQFS_RACED);
}

static bool look_in_parent(struct undo *u, const char *name, struct info *out) {
    *out = (struct info){.type = NODE_MISSING};
    return note_result(u, u->ws->backend->stat_below(&u->parent.node, name, out, &u->ignored));
}

static bool rename_in(struct undo *u, const char *from, const char *to, enum rename_kind kind) {
    const struct node *dir = &u->parent.node;
    return note_result(u, u->ws->backend->rename(dir, from, dir, to, kind, &u->ignored));
}

static void remove_in(struct undo *u, const char *name, enum node_type type) {
    const struct node *dir = &u->parent.node;
    int code = AQFS_OK;
    if (type == NODE_DIRECTORY)
        code = tree_remove(u->ws, dir, name, &u->ignored);
    else if (type != NODE_MISSING)
        code = u->ws->backend->remove(dir, name, false, &u->ignored);
    u->needs_retry =
        u->needs_retry || (code && code != AQFS_NOT_FOUND); /* nobody else knows the name */
}

/* Is it the file that the commit made, and has nobody written to it since? */
static bool is_made(const struct undo *u, const struct info *info) {
    return (info->type == NODE_FILE || info->type == NODE_SYMLINK) && u->step->made.inode &&
           info->inode == u->step->made.inode && info->size == u->step->made.size &&
           info->modified_ns == u->step->made.modified_ns;
}

/* A file under the temporary name has lost its own to another program: it is nobody's to remove. */
static void keep_displaced(struct undo *u) {
    char kept[TEMPORARY_NAME];
    temporary_kept(u->step->temp, kept);
    (void)rename_in(u, u->step->temp, kept, RENAME_FRESH);
}

/* Puts OLD, which has the temporary name, back at the target. */
static void put_back(struct undo *u, const struct info *old) {
    const char *temp = u->step->temp, *name = u->parent.name;
    struct info now;
    (void)look_in_parent(u, name, &now);
    if (u->needs_retry)
        return;
    if (now.type == NODE_MISSING) {
        if (!rename_in(u, temp, name, RENAME_FRESH) && !u->needs_retry)
            keep_displaced(u);
        return;
    }
    if (is_made(u, &now) && rename_in(u, temp, name, RENAME_SWAP) &&
        look_in_parent(u, temp, &now) &&
        !is_made(u, &now)) /* replaced in the last moment: that stays */
        (void)rename_in(u, temp, name, RENAME_SWAP);
    if (!u->needs_retry)
        remove_in(u, temp, old->type);
}

/* Removes the new file from the target.  It gets our temporary name first, so that it can be
 * compared once more when no other program can exchange it. */
static void take_made_away(struct undo *u) {
    const char *temp = u->step->temp, *name = u->parent.name;
    struct info now;
    if (!look_in_parent(u, name, &now) || !is_made(u, &now) ||
        !rename_in(u, name, temp, RENAME_FRESH) || !look_in_parent(u, temp, &now))
        return;
    if (is_made(u, &now))
        remove_in(u, temp, now.type);
    else if (!rename_in(u, temp, name, RENAME_FRESH) && !u->needs_retry)
        keep_displaced(u);
}

static void undo_write(struct undo *u, const struct info *temp) {
    bool is_new = !u->step->made.inode || temp->inode == u->step->made.inode;
    if (temp->type != NODE_MISSING && !is_new) {
        put_back(u, temp);
        return;
    }
    remove_in(u, u->step->temp, temp->type);
    /* Where a rename is a link, a new file can have both names. */
    if (!u->needs_retry && strcmp(u->step->kind, "create") == 0)
        take_made_away(u);
}

static bool is_node_there(struct undo *u, const struct parent *p, const char *name,
                          const struct info *what) {
    struct info now;
    int code = u->ws->backend->stat_below(&p->node, name, &now, &u->ignored);
    return note_result(u, code) && now.type == what->type && now.inode == what->inode;
}

/* Is NOW the empty directory that a rename without RENAME_NOREPLACE makes for the moved directory
 * to replace (host_write.c)? */
static bool is_vacant(const struct info *now) {
    return now->type == NODE_DIRECTORY && (now->mode & 07777) == 0700;
}

/* Gives the directory NAME, for which there is another one, its FORMER name in TO all the same, if
 * that one is vacant: an attempt before this one came no further than to make it. */
static int replace_vacant(struct undo *u, const char *name, const struct parent *to,
                          const char *former) {
    const struct backend *backend = u->ws->backend;
    struct info now;
    int code = backend->stat_below(&to->node, former, &now, &u->ignored);
    if (!code && !is_vacant(&now))
        return AQFS_EXISTS;
    code = code ? code : backend->remove(&to->node, former, true, &u->ignored);
    return code ? code
                : backend->rename(&u->parent.node, name, &to->node, former, RENAME_FRESH,
                                  &u->ignored);
}

/* Of two empty ones, that with the name that we gave goes. */
static bool rename_directory_back(struct undo *u, const char *name, const struct info *what,
                                  const struct parent *to, const char *former) {
    const struct backend *backend = u->ws->backend;
    const struct node *dir = &u->parent.node;
    if (is_vacant(what) && !backend->remove(dir, name, true, &u->ignored))
        return true;
    return !replace_vacant(u, name, to, former) ||
           note_result(u, backend->remove(dir, name, true, &u->ignored));
}

/* Gives what is called NAME its FORMER name in the directory TO.  Where renaming is a link and an
 * unlink, it may have both names: then NAME is removed.  False if another program has taken the
 * former name. */
static bool rename_back(struct undo *u, const char *name, const struct info *what,
                        const struct parent *to, const char *former) {
    const struct node *dir = &u->parent.node;
    int code = u->ws->backend->rename(dir, name, &to->node, former, RENAME_FRESH, &u->ignored);
    (void)note_result(u, code);
    if (code != AQFS_EXISTS)
        return true;
    if (what->type == NODE_DIRECTORY)
        return rename_directory_back(u, name, what, to, former);
    if (!is_node_there(u, to, former, what))
        return u->needs_retry;
    if (is_node_there(u, &u->parent, name, what)) /* looked at last: others know this name */
        remove_in(u, name, what->type);
    return true;
}

static void put_displaced_back(struct undo *u, const struct info *temp) {
    if (!rename_back(u, u->step->temp, temp, &u->parent, u->parent.name) && !u->needs_retry)
        keep_displaced(u);
}

static void undo_move(struct undo *u, const struct info *temp) {
    struct parent from = {0};
    struct info now;
    if (look_in_parent(u, u->parent.name, &now) &&
        (now.inode == u->step->moved || is_vacant(&now)) &&
        open_at(u, u->step->from_root, u->step->from, &from))
        (void)rename_back(u, u->parent.name, &now, &from, from.name);
    parent_close(&from);
    if (temp->type != NODE_MISSING)
        put_displaced_back(u, temp);
}

/* Ends an exchange by links that was interrupted (host_write.c).  It uses a second temporary name:
 * what has that is the displaced file if nothing has the first one, else a leftover. */
static void settle_second(struct undo *u) {
    char second[TEMPORARY_NAME];
    struct info other, temp;
    temporary_second(u->step->temp, second);
    if (!look_in_parent(u, second, &other))
        return;
    (void)look_in_parent(u, u->step->temp, &temp);
    if (u->needs_retry)
        return;
    if (temp.type == NODE_MISSING)
        (void)rename_in(u, second, u->step->temp, RENAME_FRESH);
    else
        remove_in(u, second, other.type);
}

/* Is this the time of a directory that STEP made, or in which its files were made?  They were made
 * just after the journal was written; or some time before a loss of power, if the disk has lost
 * what was written since.  And undoing other steps has changed the directory just now. */
static bool is_time_of_commit(const struct journal_step *step, int64_t ns) {
    const int64_t now_ns = clock_wall_ns(), started_ns = now_ns - clock_read_ns(UPTIME_CLOCK);
    return (ns >= step->written_ns - MADE_WITHIN_NS && ns <= step->written_ns + MADE_WITHIN_NS) ||
           (ns <= started_ns && step->written_ns <= started_ns) ||
           (ns >= step->began_ns && ns <= now_ns);
}

/* Is NOW the directory that STEP made?  After a crash another program may have made one of the same
 * name.  If the crash came before its inode was written, the time must do. */
static bool is_made_directory(const struct journal_step *step, const struct info *now) {
    if (now->type != NODE_DIRECTORY)
        return false;
    if (step->made.inode)
        return now->inode == step->made.inode;
    if (!step->written_ns) /* this process undoes its own commit */
        return true;
    return is_time_of_commit(step, now->modified_ns);
}

static void undo_mkdir(struct undo *u) {
    struct info now;
    if (look_in_parent(u, u->parent.name, &now) && is_made_directory(u->step, &now))
        (void)note_result(
            u, u->ws->backend->remove(&u->parent.node, u->parent.name, true, &u->ignored));
}

static void undo_kind(struct undo *u) {
    const char *kind = u->step->kind;
    struct info temp;
    if (strcmp(kind, "mkdir") == 0) {
        undo_mkdir(u);
        return;
    }
    if (strcmp(kind, "write") == 0)
        settle_second(u);
    (void)look_in_parent(u, u->step->temp, &temp);
    if (u->needs_retry)
        return;
    if (strcmp(kind, "write") == 0 || strcmp(kind, "create") == 0)
        undo_write(u, &temp);
    else if (strcmp(kind, "move") == 0)
        undo_move(u, &temp);
    else if (temp.type != NODE_MISSING) /* delete */
        put_displaced_back(u, &temp);
}

static void finish_kind(struct undo *u) {
    struct info temp;
    if (look_in_parent(u, u->step->temp, &temp))
        remove_in(u, u->step->temp, temp.type);
}

/* Is it what the plan saw at the target? */
static bool is_old(const struct undo *u, const struct info *info) {
    const struct journal_step *step = u->step;
    return step->old.inode && info->inode == step->old.inode &&
           (info->type != NODE_FILE ||
            (info->size == step->old.size && info->modified_ns == step->old.modified_ns));
}

/* Has what was moved its old name, too?  Where a rename is a link and an unlink, or a disk lost the
 * unlink, the move is half done. */
static bool has_old_name(struct undo *u, const struct info *moved) {
    struct parent from = {0};
    bool there = open_at(u, u->step->from_root, u->step->from, &from) &&
                 is_node_there(u, &from, from.name, moved);
    parent_close(&from);
    return there;
}

/* Is the step done?  Then the temporary name has what was to be replaced, or nothing, and the
 * target has what was to come. */
static bool is_step_whole(struct undo *u) {
    const char *kind = u->step->kind;
    struct info temp, now;
    (void)look_in_parent(u, u->step->temp, &temp);
    (void)look_in_parent(u, u->parent.name, &now);
    if (u->needs_retry || (temp.type != NODE_MISSING && !is_old(u, &temp)))
        return false;
    if (strcmp(kind, "mkdir") == 0)
        return true;
    if (strcmp(kind, "move") == 0)
        return now.type != NODE_MISSING && now.inode == u->step->moved && !has_old_name(u, &now);
    if (strcmp(kind, "delete") == 0)
        return temp.type != NODE_MISSING;
    return is_made(u, &now);
}

static void settle_lone(struct undo *u) {
    if (strcmp(u->step->kind, "write") == 0)
        settle_second(u);
    bool whole = is_step_whole(u);
    if (u->needs_retry)
        return;
    if (whole)
        finish_kind(u);
    else
        undo_kind(u);
}

static bool run_undo(struct aqfs_workspace *ws, const struct journal_step *step,
                     void (*act)(struct undo *)) {
    struct undo u = {.ws = ws, .step = step};
    if (open_target(&u)) {
        act(&u);
        /* The journal is removed next, maybe on another disk: this disk must have the names first.
         */
        if (act != finish_kind)
            (void)note_result(&u, ws->backend->sync(&u.parent.node, &u.ignored));
        parent_close(&u.parent);
    }
    return !u.needs_retry;
}

bool undo_step(struct aqfs_workspace *ws, const struct journal_step *step) {
    return run_undo(ws, step, undo_kind);
}

bool undo_finish(struct aqfs_workspace *ws, const struct journal_step *step) {
    return run_undo(ws, step, finish_kind);
}

bool undo_lone(struct aqfs_workspace *ws, const struct journal_step *step) {
    return run_undo(ws, step, settle_lone);
}
