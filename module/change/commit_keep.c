/* commit_keep.c -- keeping what a commit has replaced, so that it can be reviewed and taken back.
 *
 * It is done when the commit counts, and before what was replaced is removed.  So
 * nothing is kept of a change that was not made, and what fails here costs the
 * record, and not the change.
 *
 * SPDX-License-Identifier: MIT
 */
#include "commit_parts.h"

#include "array.h"
#include "cleanup.h"
#include "kept_write.h"
#include "lines.h"
#include "secret.h"

#include <string.h>

/* More below one directory that is deleted is not kept. */
#define ENTRIES_MOST 100000
#define LEVELS_MOST 256

struct keeping {
    struct commit *commit;
    struct kept_writer record;
    bool on_disk;       /* see commit_keep */
    struct error error; /* of reading what is kept: the change is made all the same */
};

/* -- bytes ------------------------------------------------------------------------------------- */

/* Reads the file NAME of DIR if there is room for it. */
static bool read_displaced(struct keeping *k, const struct node *dir, const char *name,
                           struct buf *out) {
    AUTO(node_close) struct node file = {0};
    const struct backend *backend = k->commit->backend;
    if (backend->open_below(dir, name, OPEN_FILE, &file, &k->error) || file.info.size < 0 ||
        !kept_has_room(&k->record, (size_t)file.info.size) ||
        !buf_reserve(out, (size_t)file.info.size + 1))
        return false;
    for (size_t left = (size_t)file.info.size; left > 0;) {
        ssize_t n = backend->read(&file, out->data + out->len, left, (int64_t)out->len);
        if (n <= 0)
            return false;
        out->len += (size_t)n;
        left -= (size_t)n;
    }
    out->data[out->len] = '\0';
    return true;
}

/* -- what has the name NAME in DIR ------------------------------------------------------------- */

struct entry_names {
    struct arena arena;
    const char **all;
    size_t n, room;
};

static int note_name(void *data, const char *name, size_t n, enum node_type type) {
    struct entry_names *names = data;
    (void)type;
    const char **all = array_with_room(names->all, names->n, &names->room, sizeof *all);
    if (!all)
        return AQFS_LIMIT;
    names->all = all;
    const char *copy = arena_string(&names->arena, name, n);
    if (!copy)
        return AQFS_LIMIT;
    names->all[names->n++] = copy;
    return AQFS_OK;
}

static void entry_names_free(struct entry_names *names) {
    arena_free(&names->arena);
    free(names->all);
}

/* Writes the members that describe a file or link, and keeps its bytes if there is room. */
static void keep_node(struct keeping *k, const struct node *dir, const char *name,
                      const struct info *info) {
    AUTO(buf_free) struct buf bytes = {0};
    bool whole = false;
    if (info->type == NODE_FILE)
        whole = read_displaced(k, dir, name, &bytes);
    else if (info->type == NODE_SYMLINK)
        whole = !k->commit->backend->readlink_below(dir, name, &bytes, &k->error);
    if (whole)
        kept_write_known(&k->record, info->type, info->mode,
                         (struct text_ref){bytes.data, bytes.len}, NULL);
    else
        kept_write_type(&k->record, info->type, info->mode);
}

struct tree_keeping {
    struct keeping *k;
    const struct place *top;
    size_t n;
    bool partial;
};

static void keep_below(struct tree_keeping *t, const struct node *dir, const char *path, int level);

/* Is the file PATH below the top secret?  The names that lead to it were looked for by plan_judge.
 */
static bool is_secret_below(const struct tree_keeping *t, const struct buf *path,
                            const struct info *info) {
    const struct aqfs_workspace *ws = t->k->commit->ws;
    struct place at = {.root = t->top->root, .len = t->top->len + 1 + path->len};
    if (!ws->secrets || info->type == NODE_DIRECTORY || at.len > PATH_BYTES_MAX)
        return false;
    memcpy(at.path, t->top->path, t->top->len);
    at.path[t->top->len] = '/';
    memcpy(at.path + t->top->len + 1, path->data, path->len + 1);
    return secret_by_path(ws, at.root, at.path, false) || secret_twins_lead_to(ws, &at) ||
           secret_twins_have(ws, info);
}

/* ABOVE is the path of the directory DIR, which ends in a slash, or "". */
static void keep_entry(struct tree_keeping *t, const struct node *dir, const char *above,
                       const char *name, int level) {
    struct keeping *k = t->k;
    const struct backend *backend = k->commit->backend;
    struct info info;
    AUTO(node_close) struct node below = {0};
    AUTO(buf_free) struct buf path = {0};
    buf_printf(&path, "%s%s", above, name);
    if (path.failed || t->n++ >= ENTRIES_MOST || backend->stat_below(dir, name, &info, &k->error)) {
        t->partial = true;
        return;
    }
    reply_map(&k->record.header);
    reply_kv_path(&k->record.header, "path", path.data, path.len);
    kept_write_names(&k->record, &info, is_secret_below(t, &path, &info));
    keep_node(k, dir, name, &info);
    reply_end_map(&k->record.header);
    t->partial = t->partial || (info.type != NODE_DIRECTORY && info.type != NODE_FILE &&
                                info.type != NODE_SYMLINK);
    if (info.type != NODE_DIRECTORY)
        return;
    buf_str(&path, "/");
    if (path.failed || backend->open_below(dir, name, OPEN_DIRECTORY, &below, &k->error))
        t->partial = true;
    else
        keep_below(t, &below, path.data, level + 1);
}

/* Each directory's names are listed whole before the next one is opened, so that few are open. */
static void keep_below(struct tree_keeping *t, const struct node *dir, const char *path,
                       int level) {
    AUTO(entry_names_free) struct entry_names names = {0};
    if (level > LEVELS_MOST || t->k->commit->backend->list(dir, note_name, &names, &t->k->error)) {
        t->partial = true;
        return;
    }
    for (size_t i = 0; i < names.n; i++)
        keep_entry(t, dir, path, names.all[i], level);
}

static void keep_directory(struct keeping *k, const struct node *dir, const char *name,
                           const struct place *at) {
    AUTO(node_close) struct node top = {0};
    struct tree_keeping t = {.k = k, .top = at};
    reply_key(&k->record.header, "entries");
    reply_list(&k->record.header);
    if (k->commit->backend->open_below(dir, name, OPEN_DIRECTORY, &top, &k->error))
        t.partial = true;
    else
        keep_below(&t, &top, "", 0);
    reply_end_list(&k->record.header);
    reply_kv_bool(&k->record.header, "partial", t.partial);
}

/* -- one step ---------------------------------------------------------------------------------- */

/* Links the file that was replaced, where the guard has kept every program from writing to it since
 * its bytes were compared.  Not where a loss of power, or recovery, could give it its name in the
 * project back: it must have its permissions then, and no other name. */
static bool link_displaced(struct keeping *k, struct commit_step *step) {
    struct change *change = step->change;
    struct parent p;
    return k->on_disk && step->displaced && step->guarded && step->guard.backend &&
           kept_links(&k->record, k->commit->ws, &change->seen) &&
           k->commit->backend->guard_holds(&step->guard) &&
           !commit_parent(k->commit, &change->at, &p, &k->error) &&
           commit_is_known_done(k->commit) &&
           kept_write_linked(&k->record, k->commit->ws, &p.node, step->temp, &change->seen,
                             plan_held(change));
}

/* Keeps the old state of the target. */
static void keep_was(struct keeping *k, struct commit_step *step) {
    struct change *change = step->change;
    struct parent p;
    reply_key(&k->record.header, "was");
    reply_map(&k->record.header);
    kept_write_names(&k->record, &change->seen, change->was_secret || change->secret);
    if (change->was_read) {
        if (!link_displaced(k, step))
            kept_write_known(&k->record, change->seen.type, change->seen.mode,
                             (struct text_ref){change->old_bytes.data, change->old_bytes.len},
                             plan_held(change));
    } else if (step->displaced && change->seen.type != NODE_DIRECTORY &&
               !commit_parent(k->commit, &change->at, &p, &k->error)) {
        keep_node(k, &p.node, step->temp, &change->seen);
    } else {
        kept_write_type(&k->record, change->seen.type, change->seen.mode);
    }
    reply_end_map(&k->record.header);
    if (step->displaced && change->seen.type == NODE_DIRECTORY &&
        !commit_parent(k->commit, &change->at, &p, &k->error))
        keep_directory(k, &p.node, step->temp, &change->at);
}

/* Of what a text became, only the part that differs is kept. */
static void keep_middle(struct keeping *k, const struct buf *old, const struct buf *new) {
    const char *a = old->data ? old->data : "", *b = new->data ? new->data : "";
    size_t least = old->len < new->len ? old->len : new->len;
    size_t head = common_head(a, b, least);
    size_t tail = common_tail(a + old->len, b + new->len, least - head);
    if (!kept_has_room(&k->record, new->len - head - tail))
        return;
    reply_kv_int(&k->record.header, "head", (int64_t)head);
    reply_kv_int(&k->record.header, "tail", (int64_t)tail);
    kept_write_bytes(&k->record, b + head, new->len - head - tail);
}

/* The new bytes of a change that does not hold them are read from the file that it has made. */
static void keep_fetched(struct keeping *k, struct commit_step *step) {
    const struct change *change = step->change;
    AUTO(buf_free) struct buf bytes = {0};
    struct parent p;
    struct info now;
    char hex[HASH_HEX];
    if (commit_parent(k->commit, &change->at, &p, &k->error) ||
        k->commit->backend->stat_below(&p.node, p.name, &now, &k->error) ||
        now.inode != step->made.inode)
        return;
    if (now.type == NODE_SYMLINK
            ? k->commit->backend->readlink_below(&p.node, p.name, &bytes, &k->error) != AQFS_OK
            : !read_displaced(k, &p.node, p.name, &bytes))
        return;
    struct hash h;
    hash_start(&h);
    hash_add(&h, bytes.data ? bytes.data : "", bytes.len);
    hash_end(&h, hex);
    reply_kv_cstring(&k->record.header, "hash", hex);
}

/* Keeps the present state of the target.  Of a new file the hash is enough: it tells whether
 * somebody has changed the file since. */
static void keep_is(struct keeping *k, struct commit_step *step) {
    struct change *change = step->change;
    reply_key(&k->record.header, "is");
    reply_map(&k->record.header);
    if (change->kind == CHANGE_MOVE) {
        kept_write_type(&k->record, change->seen_from.type, change->seen_from.mode);
        reply_kv_cstring(&k->record.header, "hash", change->will_hold);
    } else if (change->kind == CHANGE_DELETE) {
        kept_write_type(&k->record, NODE_MISSING, 0);
    } else {
        kept_write_type(&k->record, step->made.type, step->made.mode);
    }
    if (change->kind == CHANGE_COPY)
        reply_kv_cstring(&k->record.header, "hash", change->will_hold);
    else if (change->kind == CHANGE_WRITE && change->fetch)
        keep_fetched(k, step);
    else if (change->kind == CHANGE_WRITE) {
        reply_kv_cstring(&k->record.header, "hash", plan_will_hold(change));
        if (change->was_read)
            keep_middle(k, &change->old_bytes, &change->new_bytes);
    }
    reply_end_map(&k->record.header);
}

static void keep_step(struct keeping *k, struct commit_step *step) {
    static const enum kept_action actions[] = {
        [CHANGE_WRITE] = KEPT_WRITE,         [CHANGE_COPY] = KEPT_WRITE,
        [CHANGE_MAKE_DIRECTORY] = KEPT_MAKE, [CHANGE_MOVE] = KEPT_MOVE,
        [CHANGE_DELETE] = KEPT_DELETE,
    };
    const struct change *change = step->change;
    reply_map(&k->record.header);
    reply_kv_cstring(&k->record.header, "action", kept_action_name(actions[change->kind]));
    kept_write_place(&k->record, "root", "path", change->at.root, change->at.path);
    if (change->from.root)
        kept_write_place(&k->record, "from_root", "from", change->from.root, change->from.path);
    keep_was(k, step);
    keep_is(k, step);
    reply_end_map(&k->record.header);
}

/* -- the whole --------------------------------------------------------------------------------- */

void commit_keep(struct commit *m, bool on_disk) {
    const struct buf *summary = &m->plan->summary;
    struct keeping k = {.commit = m, .on_disk = on_disk};
    char id[KEPT_ID];
    if (!kept_wanted(m->ws))
        return;
    kept_write_start(&k.record, m->work, m->plan->operation,
                     (struct text_ref){summary->data, summary->len});
    for (size_t i = 0; i < m->n; i++)
        keep_step(&k, &m->steps[i]);
    (void)kept_write_end(&k.record, m->ws, id, &k.error);
}
