/* undo.c -- putting one change back, or ending it, from what the tree shows. */
#include "undo.h"

#include "parent.h"
#include "temporary.h"
#include "tree_remove.h"

#include <string.h>

/* So often a directory may be exchanged while it is opened. */
#define ROUNDS 64

struct undo {
    struct aqfs_workspace *ws;
    const struct journal_step *step;
    struct parent parent;
    bool owed; /* something failed that may not fail the next time */
    struct error ignored;
};

/* Where somebody else has put something or taken it away, nothing is left to do. */
static bool note(struct undo *u, int code) {
    u->owed = u->owed || (code && code != AQFS_NOT_FOUND && code != AQFS_EXISTS);
    return code == AQFS_OK;
}

/* Directories that are being exchanged are there every other time. */
static bool open_at(struct undo *u, size_t root, const char *path, struct parent *out) {
    int code = AQFS_RACED;
    for (int round = 0; code == AQFS_RACED && round < ROUNDS; round++)
        code = parent_open(u->ws, &u->ws->roots[root], path, out, &u->ignored);
    return note(u, code);
}

static bool look(struct undo *u, const char *name, struct info *out) {
    *out = (struct info){.type = NODE_MISSING};
    return note(u, u->ws->backend->stat_below(&u->parent.node, name, out, &u->ignored));
}

static bool rename_in(struct undo *u, const char *from, const char *to, enum rename_kind kind) {
    const struct node *dir = &u->parent.node;
    return note(u, u->ws->backend->rename(dir, from, dir, to, kind, &u->ignored));
}

static void remove_in(struct undo *u, const char *name, enum node_type type) {
    const struct node *dir = &u->parent.node;
    int code = AQFS_OK;
    if (type == NODE_DIRECTORY)
        code = tree_remove(u->ws, dir, name, &u->ignored);
    else if (type != NODE_MISSING)
        code = u->ws->backend->remove(dir, name, false, &u->ignored);
    u->owed = u->owed || (code && code != AQFS_NOT_FOUND); /* nobody else knows the name */
}

/* Is it the file that the commit made, and has nobody written to it since? */
static bool is_made(const struct undo *u, const struct info *info) {
    return info->type == NODE_FILE && u->step->made.inode && info->inode == u->step->made.inode &&
           info->size == u->step->made.size && info->modified_ns == u->step->made.modified_ns;
}

/* What was at the target is under the temporary name. */
static void put_back(struct undo *u, const struct info *old) {
    const char *temp = u->step->temp, *name = u->parent.name;
    struct info now;
    (void)look(u, name, &now);
    if (u->owed)
        return;
    if (now.type == NODE_MISSING) {
        (void)rename_in(u, temp, name, RENAME_FRESH);
        return;
    }
    if (is_made(u, &now) && rename_in(u, temp, name, RENAME_SWAP) && look(u, temp, &now) &&
        !is_made(u, &now)) /* replaced in the last moment: that stays */
        (void)rename_in(u, temp, name, RENAME_SWAP);
    if (!u->owed)
        remove_in(u, temp, old->type);
}

/* A fresh file is taken away by a name of ours, to see once more that it is the one. */
static void take_away(struct undo *u) {
    const char *temp = u->step->temp, *name = u->parent.name;
    struct info now;
    if (!look(u, name, &now) || !is_made(u, &now) || !rename_in(u, name, temp, RENAME_FRESH) ||
        !look(u, temp, &now))
        return;
    if (is_made(u, &now))
        remove_in(u, temp, now.type);
    else
        (void)rename_in(u, temp, name, RENAME_FRESH);
}

static void undo_write(struct undo *u, const struct info *temp) {
    bool is_new = !u->step->made.inode || temp->inode == u->step->made.inode;
    if (temp->type != NODE_MISSING && !is_new) {
        put_back(u, temp);
        return;
    }
    remove_in(u, u->step->temp, temp->type);
    if (!u->owed) /* where a rename is a link, it can have both names */
        take_away(u);
}

static bool is_there(struct undo *u, const struct parent *p, const char *name,
                     const struct info *what) {
    struct info now;
    return u->ws->backend->stat_below(&p->node, name, &now, &u->ignored) == AQFS_OK &&
           now.type == what->type && now.inode == what->inode;
}

/* Gives what is called NAME its former name, and ends what a rename by way of links began. */
static void rename_back(struct undo *u, const char *name, const struct info *what,
                        const struct parent *to, const char *former) {
    const struct node *dir = &u->parent.node;
    int code = u->ws->backend->rename(dir, name, &to->node, former, RENAME_FRESH, &u->ignored);
    (void)note(u, code);
    if (code == AQFS_EXISTS && what->type != NODE_DIRECTORY && is_there(u, to, former, what))
        remove_in(u, name, what->type);
    else if (code == AQFS_EXISTS && what->type == NODE_DIRECTORY) /* only an empty one goes */
        (void)note(u, u->ws->backend->remove(dir, name, true, &u->ignored));
}

/* Is what is at the target the directory made for the moved one to replace? */
static bool is_vacant(const struct info *now) {
    return now->type == NODE_DIRECTORY && (now->mode & 07777) == 0700;
}

static void undo_move(struct undo *u, const struct info *temp) {
    struct parent from = {0};
    struct info now;
    if (look(u, u->parent.name, &now) && (now.inode == u->step->moved || is_vacant(&now)) &&
        open_at(u, u->step->from_root, u->step->from, &from))
        rename_back(u, u->parent.name, &now, &from, from.name);
    parent_close(&from);
    if (temp->type != NODE_MISSING)
        rename_back(u, u->step->temp, temp, &u->parent, u->parent.name);
}

/* An exchange by links was interrupted (host_write.c): it had displaced something, or not yet. */
static void settle_second(struct undo *u) {
    char second[TEMPORARY_NAME];
    struct info other, temp;
    temporary_second(u->step->temp, second);
    if (!look(u, second, &other))
        return;
    (void)look(u, u->step->temp, &temp);
    if (u->owed)
        return;
    if (temp.type == NODE_MISSING)
        (void)rename_in(u, second, u->step->temp, RENAME_FRESH);
    else
        remove_in(u, second, other.type);
}

static void undo_kind(struct undo *u) {
    const char *kind = u->step->kind;
    struct info temp;
    if (strcmp(kind, "mkdir") == 0) {
        (void)note(u, u->ws->backend->remove(&u->parent.node, u->parent.name, true, &u->ignored));
        return;
    }
    if (strcmp(kind, "write") == 0)
        settle_second(u);
    (void)look(u, u->step->temp, &temp);
    if (u->owed)
        return;
    if (strcmp(kind, "write") == 0 || strcmp(kind, "create") == 0)
        undo_write(u, &temp);
    else if (strcmp(kind, "move") == 0)
        undo_move(u, &temp);
    else if (temp.type != NODE_MISSING) /* delete */
        rename_back(u, u->step->temp, &temp, &u->parent, u->parent.name);
}

static void finish_kind(struct undo *u) {
    struct info temp;
    if (look(u, u->step->temp, &temp))
        remove_in(u, u->step->temp, temp.type);
}

static bool run(struct aqfs_workspace *ws, const struct journal_step *step,
                void (*act)(struct undo *)) {
    struct undo u = {.ws = ws, .step = step};
    if (open_at(&u, step->root, step->path, &u.parent)) {
        act(&u);
        /* What says that this is to be done is removed next, maybe on another disk. */
        if (act == undo_kind)
            (void)note(&u, ws->backend->sync(&u.parent.node, &u.ignored));
        parent_close(&u.parent);
    }
    return !u.owed;
}

bool undo_step(struct aqfs_workspace *ws, const struct journal_step *step) {
    return run(ws, step, undo_kind);
}

bool undo_finish(struct aqfs_workspace *ws, const struct journal_step *step) {
    return run(ws, step, finish_kind);
}
