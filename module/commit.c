/* commit.c -- doing what a plan says, all of it or nothing. */
#include "commit.h"

#include "cleanup.h"
#include "commit_lock.h"
#include "journal.h"
#include "parent.h"
#include "temporary.h"
#include "undo.h"

#include <string.h>
#include <time.h>

/* A modification within this time of being read may not show in a file's times. */
#define RACY_NS 100000000

/* Files that are open together while the disk takes them. */
#define SETTLED_AT_ONCE 64

/* Read at once to be compared. */
#define COMPARED ((size_t)256 * 1024)

/* How long a program that is writing to a file is waited for. */
#define WRITER_ROUNDS 50
#define WRITER_WAIT_NS 1000000

/* So many files are kept from writers until the commit ends: each takes a descriptor. */
#define GUARDS 64

/* What has been done of one change, and can be undone. */
struct step {
    struct change *change;
    char temp[TEMPORARY_NAME]; /* beside the target: what replaces it, or what was replaced */
    bool touched;              /* something of it may have been done */
    bool displaced;            /* temp holds what was at the target */
    uint64_t moved;            /* inode of what was moved */
    struct info made;
    struct node guard; /* what is replaced, open: who would write to it waits */
    bool guarded;      /* and nobody could */
    struct node staged; /* open until it is on disk */
};

struct commit {
    struct call *call;
    struct aqfs_workspace *ws;
    const struct backend *backend;
    struct step *steps;
    struct journal_step *records; /* of the steps, for the journal and for undoing them */
    size_t n;
    bool owed; /* something could not be put back */
    struct error *e;
};

/* -- directories ------------------------------------------------------------------------------ */

static int open_parent(struct commit *m, const struct place *at, struct parent *out) {
    return parent_open(m->ws, at->root, at->path, out, m->e);
}

static int fail_stale(struct commit *m, const struct place *at) {
    AUTO(buf_free) struct buf path = {0};
    char label[PATH_LABEL];
    place_show(m->ws, at->root, at->path, at->len, &path);
    return fail(m->e, AQFS_STALE, "Path '%s' has changed since it was looked at: nothing was done",
                path_label(path.data ? path.data : "", path.len, label));
}

/* -- is it still what was planned for? -------------------------------------------------------- */

static bool same_file(const struct info *a, const struct info *b) {
    return a->type == b->type && a->device == b->device && a->inode == b->inode &&
           a->mode == b->mode && a->owner == b->owner && a->group == b->group &&
           (a->type != NODE_FILE || (a->size == b->size && a->modified_ns == b->modified_ns));
}

/* Attributes have no other time than this one, which a rename changes too: it tells nothing of what
 * this commit has renamed, be it by another of its names. */
static bool same_attributes(const struct info *a, const struct info *b) {
    return a->type != NODE_FILE || a->links > 1 || a->changed_ns == b->changed_ns;
}

static int check_unchanged(struct commit *m, const struct parent *p, const char *name,
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

/* Does the open file hold these bytes and no more? */
static bool is_filled_with(const struct node *file, const struct buf *bytes) {
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

/* Does NAME hold the bytes that were read?  Asked when its times are too young to tell. */
static bool holds(struct commit *m, const struct parent *p, const char *name,
                  const struct buf *bytes) {
    struct node node;
    struct error ignored;
    if (m->backend->open_below(&p->node, name, OPEN_FILE, &node, &ignored))
        return false;
    bool same = is_filled_with(&node, bytes);
    node_close(&node);
    return same;
}

static bool is_racy(const struct change *change) {
    return change->kind == CHANGE_WRITE && change->read_ns &&
           change->read_ns - change->seen.modified_ns < RACY_NS;
}

/* -- as the journal has it --------------------------------------------------------------------- */

static const char *journal_kind(const struct step *step) {
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

static struct journal_step record_of(const struct commit *m, const struct step *step) {
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
        .made = {step->made.inode, step->made.size, step->made.modified_ns},
    };
}

/* -- staging ---------------------------------------------------------------------------------- */

/* The file whose permissions a new one takes: the one it comes from, or the one it replaces. */
static int open_like(struct commit *m, const struct change *change, const struct parent *p,
                     struct node *like) {
    if (change->kind == CHANGE_WRITE && change->from.root)
        return m->backend->open(m->ws, change->from.root, change->from.path, OPEN_FILE, like, m->e);
    if (change->seen.type != NODE_FILE)
        return AQFS_OK;
    int code = m->backend->open_below(&p->node, p->name, OPEN_FILE, like, m->e);
    if (!code)
        code = m->backend->stat(like, &like->info, m->e);
    return code;
}

static int stage_file(struct commit *m, struct step *step, const struct parent *p) {
    struct change *change = step->change;
    AUTO(node_close) struct node like = {0}, from = {0};
    struct source source = {
        .mode = change->mode, .bytes = change->new_bytes.data, .n = change->new_bytes.len};
    int code = open_like(m, change, p, &like);
    if (!code && change->kind == CHANGE_COPY) {
        code =
            m->backend->open(m->ws, change->from.root, change->from.path, OPEN_FILE, &from, m->e);
        source.file = &from;
        if (!code && !same_file(&from.info, &change->seen_from))
            code = fail_stale(m, &change->from);
    }
    if (code)
        return code;
    const struct node *model = like.backend ? &like : source.file;
    code = m->backend->stage(&p->node, step->temp, model, &source, &step->staged, m->e);
    if (code == AQFS_EXISTS) /* not by us, and not ours to remove */
        return fail(m->e, AQFS_RACED, "The temporary name '%s' is taken", step->temp);
    step->touched = true;
    if (!code)
        step->made = step->staged.info;
    return code;
}

static int stage(struct commit *m, struct step *step) {
    AUTO(parent_close) struct parent p = {0};
    struct change *change = step->change;
    bool writes = change->kind == CHANGE_WRITE || change->kind == CHANGE_COPY;
    if (!writes && change->kind != CHANGE_MAKE_DIRECTORY)
        return AQFS_OK;
    int code = open_parent(m, &change->at, &p);
    if (code)
        return code;
    if (writes)
        return stage_file(m, step, &p);
    /* Directories are made now: what is staged later may lie in them. */
    code = m->backend->make_directory(&p.node, p.name, m->e);
    step->touched = code == AQFS_OK;
    return code == AQFS_EXISTS ? fail_stale(m, &change->at) : code;
}

/* Closes steps FROM to TO, which are then on disk unless the CODE so far is an error. */
static int settle(struct commit *m, size_t from, size_t to, int code) {
    for (size_t i = from; !code && to - from > 1 && i < to; i++)
        if (m->steps[i].staged.backend)
            m->backend->begin_settling(&m->steps[i].staged);
    for (size_t i = from; i < to; i++) {
        struct step *step = &m->steps[i];
        if (!code && step->staged.backend)
            code = m->backend->settle(&step->staged, m->e);
        node_close(&step->staged);
    }
    return code;
}

static int stage_all(struct commit *m) {
    int code = AQFS_OK;
    for (size_t from = 0, to = 0; !code && from < m->n; from = to) {
        while (!code && to < m->n && to - from < SETTLED_AT_ONCE)
            code = stage(m, &m->steps[to++]);
        code = settle(m, from, to, code);
    }
    return code;
}

/* -- applying --------------------------------------------------------------------------------- */

static int rename_within(struct commit *m, const struct parent *p, const char *from, const char *to,
                         enum rename_kind kind) {
    return m->backend->rename(&p->node, from, &p->node, to, kind, m->e);
}

static int apply_fresh(struct commit *m, struct step *step, const struct parent *p) {
    int code = rename_within(m, p, step->temp, p->name, RENAME_FRESH);
    return code == AQFS_EXISTS ? fail_stale(m, &step->change->at) : code;
}

/* Opens the file that is to be replaced and keeps writers away from it: what another program has
 * begun to write would be lost. */
static int guard(struct commit *m, struct step *step, const struct parent *p) {
    const struct place *at = &step->change->at;
    struct node *old = &step->guard;
    enum guard_state state = GUARD_BUSY;
    int code = m->backend->open_below(&p->node, p->name, OPEN_FILE, old, m->e);
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
static int check_displaced(struct commit *m, struct step *step, const struct parent *p) {
    const struct change *change = step->change;
    struct info old;
    int code = m->backend->stat_below(&p->node, step->temp, &old, m->e);
    if (code)
        return code;
    bool same = same_file(&old, &change->seen);
    if (same && step->guarded)
        same = m->backend->guard_holds(&step->guard);
    else if (same && is_racy(change))
        same = holds(m, p, step->temp, &change->old_bytes);
    return same ? AQFS_OK : fail_stale(m, &change->at);
}

/* At once: until then others see what is not to be.  What somebody has put in its stead in the last
 * moment stays.  What fails here is tried again when all is undone. */
static void take_back(struct commit *m, struct step *step, const struct parent *p) {
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

/* After the exchange nobody can reach the old file by its name any more: now compare.  Who wants to
 * write to it goes on waiting until the commit has ended or is undone: it would write to what has
 * lost its name, and next find, and write to, what is about to be taken away. */
static int apply_swap(struct commit *m, struct step *step, const struct parent *p) {
    struct change *change = step->change;
    int code = guard(m, step, p);
    if (!code && is_racy(change) && !holds(m, p, p->name, &change->old_bytes))
        return fail_stale(m, &change->at);
    code = code ? code : check_unchanged(m, p, p->name, &change->at, &change->seen);
    code = code ? code : rename_within(m, p, step->temp, p->name, RENAME_SWAP);
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
static int check_quiet(struct commit *m, struct step *step) {
    AUTO(parent_close) struct parent p = {0};
    struct info now;
    struct error ignored;
    const struct change *change = step->change;
    const struct node *guard = &step->guard;
    if (!step->displaced)
        return AQFS_OK;
    if (step->guarded && guard->backend && !m->backend->guard_holds(guard))
        return fail_stale(m, &change->at);
    int code = AQFS_OK;
    if (guard->backend)
        code = m->backend->stat(guard, &now, &ignored);
    else if (!(code = parent_open(m->ws, change->at.root, change->at.path, &p, &ignored)))
        code = m->backend->stat_below(&p.node, step->temp, &now, &ignored);
    return code || same_file(&now, &change->seen) ? AQFS_OK : fail_stale(m, &change->at);
}

static int apply_delete(struct commit *m, struct step *step, const struct parent *p) {
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
static int check_moved(struct commit *m, struct step *step, const struct parent *p) {
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
static int apply_move(struct commit *m, struct step *step, const struct parent *p) {
    struct change *change = step->change;
    AUTO(parent_close) struct parent from = {0};
    int code = open_parent(m, &change->from, &from);
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

static int apply(struct commit *m, struct step *step) {
    AUTO(parent_close) struct parent p = {0};
    const struct change *change = step->change;
    if (change->kind == CHANGE_MAKE_DIRECTORY)
        return AQFS_OK;
    int code = open_parent(m, &change->at, &p);
    if (code)
        return code;
    if (change->kind == CHANGE_DELETE)
        return apply_delete(m, step, &p);
    if (change->kind == CHANGE_MOVE)
        return apply_move(m, step, &p);
    return change->seen.type == NODE_MISSING ? apply_fresh(m, step, &p) : apply_swap(m, step, &p);
}

/* -- the journal ------------------------------------------------------------------------------ */

static int write_journal(struct commit *m, enum journal_state state) {
    for (size_t i = 0; i < m->n; i++)
        m->records[i] = record_of(m, &m->steps[i]);
    return journal_write(m->ws, state, m->records, m->n, m->n > 1, m->e);
}

/* -- undoing, and ending ---------------------------------------------------------------------- */

/* An error while undoing is not told: the one that made it necessary is. */
static void undo(struct commit *m) {
    for (size_t i = m->n; i-- > 0;) {
        m->records[i] = record_of(m, &m->steps[i]);
        if (m->steps[i].touched && !undo_step(m->ws, &m->records[i]))
            m->owed = true;
    }
    if (m->owed)
        error_hint(m->e, "Not all could be put back as it was: it is tried again before the next "
                         "change, and when the workspace is next opened");
}

/* Removes what was replaced or deleted.  It no longer has a name that anybody knows. */
static void discard_old(struct commit *m) {
    for (size_t i = 0; i < m->n; i++)
        if (m->steps[i].displaced && !undo_finish(m->ws, &m->records[i]))
            m->owed = true;
}

static bool same_parent(const struct place *a, const struct place *b) {
    const char *x = strrchr(a->path, '/'), *y = strrchr(b->path, '/');
    size_t n = x ? (size_t)(x - a->path) : 0, k = y ? (size_t)(y - b->path) : 0;
    return a->root == b->root && n == k && memcmp(a->path, b->path, n) == 0;
}

/* Each directory once, as long as changes come directory by directory. */
static int sync_directories(struct commit *m) {
    const struct place *synced = NULL;
    for (size_t i = 0; i < m->n; i++) {
        const struct change *change = m->steps[i].change;
        bool moves = change->kind == CHANGE_MOVE;
        const struct place *places[] = {&change->at, moves ? &change->from : NULL};
        for (size_t j = 0; j < 2; j++) {
            AUTO(parent_close) struct parent p = {0};
            if (!places[j] || (synced && same_parent(synced, places[j])))
                continue;
            int code = open_parent(m, places[j], &p);
            code = code ? code : m->backend->sync(&p.node, m->e);
            if (code)
                return fail(m->e, AQFS_DURABILITY_UNKNOWN,
                            "It is written, but whether the disk has it could not be told");
            synced = places[j];
        }
    }
    return AQFS_OK;
}

/* -- the whole -------------------------------------------------------------------------------- */

static int each(struct commit *m, int (*do_step)(struct commit *, struct step *)) {
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < m->n; i++)
        code = do_step(m, &m->steps[i]);
    return code;
}

/* The commit counts when the journal says it is done: until then a crash undoes it.  So the disk
 * has the names before it has that. */
static int commit(struct commit *m) {
    int synced = AQFS_OK, code = write_journal(m, JOURNAL_STAGING);
    if (code)
        return code;
    code = stage_all(m);
    code = code ? code : write_journal(m, JOURNAL_APPLYING);
    code = code ? code : each(m, apply);
    if (!code) {
        synced = sync_directories(m);
        code = each(m, check_quiet);
        code = code ? code : write_journal(m, JOURNAL_DONE);
        if (code == AQFS_DURABILITY_UNKNOWN) {
            synced = code;
            code = AQFS_OK;
        }
    }
    if (code)
        undo(m);
    else
        discard_old(m);
    return code ? code : synced;
}

static int take_names(struct commit *m, struct plan *p) {
    for (size_t i = 0; i < p->n; i++) {
        struct step *step = &m->steps[m->n];
        if (p->changes[i]->unchanged)
            continue;
        step->change = p->changes[i];
        if (!temporary_name(step->temp))
            return fail(m->e, AQFS_IO, "No random name could be made");
        m->n++;
    }
    return AQFS_OK;
}

int plan_commit(struct call *c, struct plan *p) {
    AUTO_FREE struct step *steps = calloc(p->n + 1, sizeof *steps);
    AUTO_FREE struct journal_step *records = calloc(p->n + 1, sizeof *records);
    struct commit m = {.call = c,
                       .ws = c->ws,
                       .backend = c->ws->backend,
                       .steps = steps,
                       .records = records,
                       .e = &c->error};
    if (!steps || !records)
        return fail_memory(&c->error);
    int code = take_names(&m, p);
    if (code || m.n == 0)
        return code;
    code = commit_lock(c->ws, &c->budget, &c->error);
    if (code)
        return code;
    code = commit(&m);
    for (size_t i = 0; i < m.n; i++)
        node_close(&steps[i].guard);
    if (m.owed)
        journal_leave(c->ws);
    else
        journal_clear(c->ws);
    commit_unlock(c->ws);
    return code;
}
