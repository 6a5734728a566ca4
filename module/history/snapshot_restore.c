/* snapshot_restore.c -- snapshot_restore: puts files back as a snapshot has them.
 *
 *     ID          puts back everything that differs from the snapshot
 *     ID..OTHER   puts back what differs between the two, if it still is as OTHER
 *                 has it: what a call did is undone, and what others did since stays
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "history_ops.h"
#include "plan_tree.h"
#include "protect.h"
#include "secret.h"
#include "snapshot_shown.h"

#include <string.h>

#define SEPARATOR ".."

/* Kept with the plan. */
struct restoring {
    char id[SNAPSHOT_ID], other[SNAPSHOT_ID]; /* other: "" for the files as they are now */
    struct item_changes changes;              /* before: the snapshot's state; after: the present */
    struct item_changes since;                /* of ID..OTHER: what has changed since OTHER */
    struct shown_item *shown;                 /* one for each of the changes */
    struct snapshot safety;
    struct snapshot_report report;
};

/* While the plan is made. */
struct restore {
    struct call *call;
    struct plan *plan;
    struct restoring *kept;
    const struct item_change *gone; /* a tree that is deleted whole, with all below it; or NULL */
    const struct change *made;      /* the last directory to be made, or NULL */
};

static void drop_restoring(void *held) {
    struct restoring *r = held;
    item_changes_free(&r->changes);
    item_changes_free(&r->since);
    snapshot_free(&r->safety);
    snapshot_report_free(&r->report);
    free(r->shown);
    free(r);
}

static int fail_restore(struct call *c, enum code code, const char *path, const char *what) {
    char label[PATH_LABEL];
    return fail(&c->work.error, code, "'%s' %s: nothing was put back",
                path_label(path, strlen(path), label), what);
}

/* -- what differs ------------------------------------------------------------------------------ */

static int read_ids(struct call *c, struct restoring *r) {
    struct text_ref text = call_text(c, "id");
    const char *dots = memmem(text.data ? text.data : "", text.len, SEPARATOR, 2);
    struct text_ref first = {text.data, dots ? (size_t)(dots - text.data) : text.len};
    int code = snapshot_id(c, "id", first, r->id);
    if (code || !dots)
        return code;
    return snapshot_id(c, "id", (struct text_ref){dots + 2, text.len - first.len - 2}, r->other);
}

static bool overlap(const struct item_change *a, const struct item_change *b) {
    return path_is_below(a->path, a->len, b->path, b->len) ||
           (path_is_below(b->path, b->len, a->path, a->len) && a->after.kind == ITEM_DIRECTORY);
}

/* Fails if anything that ID..OTHER would put back has changed since OTHER. */
static int check_since(struct call *c, struct restoring *r) {
    int code = snapshot_keeper(c)->compare(&c->work, r->other, NULL, &r->since);
    for (size_t i = 0; !code && i < r->since.n; i++)
        for (size_t j = 0; !code && j < r->changes.n; j++)
            if (overlap(&r->since.all[i], &r->changes.all[j]))
                code = fail_restore(c, AQFS_STALE, r->since.all[i].path, "has changed since");
    return code;
}

static int compare_to_restore(struct call *c, struct restoring *r) {
    const char *other = r->other[0] ? r->other : NULL;
    int code = snapshot_keeper(c)->compare(&c->work, r->id, other, &r->changes);
    code = !code && other ? check_since(c, r) : code;
    if (code)
        return code;
    snapshot_hide(c, &r->changes);
    r->shown = calloc(r->changes.n + 1, sizeof *r->shown);
    return r->shown ? AQFS_OK : fail_memory(&c->work.error);
}

/* -- what is there now ------------------------------------------------------------------------- */

static bool is_same_node(const struct info *a, const struct info *b) {
    return a->type == b->type && a->inode == b->inode && a->device == b->device &&
           (a->type != NODE_FILE || (a->size == b->size && a->modified_ns == b->modified_ns));
}

static bool is_below_made(const struct restore *r, const struct item_change *item) {
    return r->made && path_is_below(item->path, item->len, r->made->at.path, r->made->at.len);
}

/* *SEEN becomes what has ITEM's name now.  AQFS_STALE if it is not what was compared. */
static int look_at_target(struct restore *r, const struct item_change *item, struct place *at,
                          struct info *seen) {
    struct call *c = r->call;
    *seen = (struct info){.type = NODE_MISSING};
    snapshot_place(c, item, at);
    if (is_below_made(r, item))
        return AQFS_OK;
    int code = plan_look(&c->work, at, seen);
    if (code == AQFS_NOT_FOUND) {
        *seen = (struct info){.type = NODE_MISSING};
        code = AQFS_OK;
    }
    if (code)
        return code;
    at->type = seen->type;
    if (item->after.info && !is_same_node(item->after.info, seen))
        return fail_restore(c, AQFS_STALE, item->path, "changed while it was looked at");
    return AQFS_OK;
}

/* How many of the compared items below ITEM exist now.  The list is in order of bytes, so other
 * names may stand between a name and what is below it: `a`, `a-b`, `a/c`. */
static int64_t count_below(const struct restoring *r, const struct item_change *item) {
    int64_t n = 0;
    for (const struct item_change *next = item + 1; next < r->changes.all + r->changes.n; next++) {
        if (strncmp(next->path, item->path, item->len) != 0 || next->path[item->len] > '/')
            break;
        n += next->path[item->len] == '/' && next->after.kind != ITEM_NONE;
    }
    return n;
}

static bool has_rules_below(const struct call *c, const struct place *at) {
    AUTO(buf_free) struct buf whole = {0};
    buf_add(&whole, at->root->path, at->root->len);
    buf_char(&whole, '/');
    buf_add(&whole, at->path, at->len);
    return whole.failed || rules_deny_below(&c->work.ws->rules, whole.data, whole.len);
}

/* -- changes ----------------------------------------------------------------------------------- */

/* Adds a change from ITEM's present state to the snapshot's. */
static int add_restore_change(struct restore *r, enum change_kind kind,
                              const struct item_change *item, const struct place *at,
                              const struct info *seen, struct change **out) {
    struct shown_item *shown = &r->kept->shown[item - r->kept->changes.all];
    int code = plan_add_at(&r->call->work, r->plan, kind, at, seen, out);
    if (code)
        return code;
    struct change *change = *out;
    *shown = (struct shown_item){&r->kept->changes, &item->after, &item->before};
    change->fetched_for = shown;
    if (item->before.secret || item->after.secret)
        change->below_secret = &secret_elsewhere;
    return AQFS_OK;
}

static void set_version(const struct item *item, char out[HASH_HEX]) {
    char hex[OID_HEX];
    oid_hex(&item->oid, hex);
    memcpy(out, hex, HASH_HEX - 1);
    out[HASH_HEX - 1] = '\0';
}

/* Deletes the directory AT with all below it, if the snapshot that is taken before the restore will
 * hold all of that.  Else the directory stays, and *WHOLE becomes false. */
static int delete_tree(struct restore *r, const struct item_change *item, const struct place *at,
                       const struct info *seen, bool *whole) {
    struct call *c = r->call;
    const struct error before = c->work.error;
    *whole = false;
    if (has_rules_below(c, at))
        return AQFS_OK;
    struct change *change;
    int code = add_restore_change(r, CHANGE_DELETE, item, at, seen, &change);
    if (code)
        return code;
    code = plan_tree(&c->work, change, at, change->held);
    if (code == AQFS_CANCELLED)
        return code;
    *whole = !code && change->entries == count_below(r->kept, item);
    if (*whole) {
        r->gone = item;
    } else {
        c->work.error = before;
        plan_drop_last(r->plan);
    }
    return AQFS_OK;
}

static int delete_one(struct restore *r, const struct item_change *item, const struct place *at,
                      const struct info *seen) {
    struct change *change;
    int code = add_restore_change(r, CHANGE_DELETE, item, at, seen, &change);
    if (code)
        return code;
    if (item->after.kind != ITEM_NONE) {
        change->fetch = snapshot_fetch;
        change->old_mode = 0; /* set with the new one */
        const struct item nothing = {.kind = ITEM_NONE};
        snapshot_modes(&item->after, &nothing, change);
        set_version(&item->after, change->held);
    }
    return AQFS_OK;
}

/* Deletes what is AT a place where something of another type is to be put. */
static int clear_target(struct restore *r, const struct item_change *item, const struct place *at,
                        const struct info *seen) {
    bool whole = true;
    if (seen->type == NODE_MISSING)
        return AQFS_OK;
    if (seen->type == NODE_FILE && item->after.kind == ITEM_NONE && !r->kept->other[0])
        return fail_restore(r->call, AQFS_SNAPSHOT_RESTORE, item->path,
                            "is a file that no snapshot can hold (too large, or not readable)");
    int code = seen->type == NODE_DIRECTORY ? delete_tree(r, item, at, seen, &whole)
                                            : delete_one(r, item, at, seen);
    if (!code && !whole)
        return fail_restore(r->call, AQFS_SNAPSHOT_RESTORE, item->path,
                            "is a directory with files in it that no snapshot holds");
    return code;
}

static int remove_item(struct restore *r, const struct item_change *item, const struct place *at,
                       const struct info *seen) {
    bool ignored;
    if (seen->type == NODE_MISSING)
        return AQFS_OK;
    if (seen->type == NODE_DIRECTORY)
        return delete_tree(r, item, at, seen, &ignored);
    return delete_one(r, item, at, seen);
}

/* The deletion of what is AT a place where a directory is to be made; NULL if there is none.  If a
 * file there is to go, its item comes before the item of the directory. */
static struct change *find_deletion(const struct restore *r, const struct place *at) {
    for (size_t i = r->plan->n; i-- > 0;) {
        struct change *change = r->plan->changes[i];
        if (change->kind == CHANGE_DELETE && strcmp(change->at.path, at->path) == 0)
            return change;
    }
    return NULL;
}

static int make_item(struct restore *r, const struct item_change *item, const struct place *at,
                     struct info *seen) {
    if (seen->type == NODE_DIRECTORY)
        return AQFS_OK;
    struct change *deletion = seen->type == NODE_MISSING ? NULL : find_deletion(r, at);
    if (seen->type != NODE_MISSING && !deletion) {
        int code = clear_target(r, item, at, seen);
        if (code)
            return code;
        deletion = r->plan->changes[r->plan->n - 1];
    }
    if (deletion)
        deletion->clears = true;
    *seen = (struct info){.type = NODE_MISSING};
    struct change *change;
    int code = add_restore_change(r, CHANGE_MAKE_DIRECTORY, item, at, seen, &change);
    if (code)
        return code;
    change->at.type = NODE_MISSING;
    change->bits = item->before.mode;
    if (!is_below_made(r, item))
        r->made = change;
    return AQFS_OK;
}

/* A file replaces a file by an exchange.  Anything else is deleted first. */
static int write_item(struct restore *r, const struct item_change *item, const struct place *at,
                      struct info *seen) {
    bool is_file = item->before.kind == ITEM_FILE;
    bool swaps = is_file && seen->type == NODE_FILE;
    bool unknown = seen->type == NODE_FILE && item->after.kind == ITEM_NONE;
    int code = !swaps || unknown ? clear_target(r, item, at, seen) : AQFS_OK;
    if (code)
        return code;
    if (!swaps)
        *seen = (struct info){.type = NODE_MISSING};
    struct change *change;
    code = add_restore_change(r, CHANGE_WRITE, item, at, seen, &change);
    if (code)
        return code;
    change->at.type = seen->type;
    change->is_new = !swaps;
    change->mode = is_file ? MODE_EXACT : MODE_LINK;
    change->bits = item->before.mode;
    change->fetch = snapshot_fetch;
    snapshot_modes(&item->after, &item->before, change);
    set_version(&item->after, change->held);
    set_version(&item->before, change->will_hold);
    return AQFS_OK;
}

static int restore_item(struct restore *r, const struct item_change *item) {
    struct place at;
    struct info seen;
    if (r->gone && path_is_below(item->path, item->len, r->gone->path, r->gone->len) &&
        item->before.kind == ITEM_NONE)
        return AQFS_OK;
    int code = look_at_target(r, item, &at, &seen);
    if (code)
        return code;
    if (protect_level(r->call->work.ws, at.root, at.path) == PROTECT_REFUSE)
        return fail_restore(r->call, AQFS_SNAPSHOT_RESTORE, item->path, "is inside .git");
    switch (item->before.kind) {
    case ITEM_NONE:
        return remove_item(r, item, &at, &seen);
    case ITEM_DIRECTORY:
        return make_item(r, item, &at, &seen);
    default:
        return write_item(r, item, &at, &seen);
    }
}

/* -- the operation ----------------------------------------------------------------------------- */

int plan_snapshot_restore(struct call *c, struct plan *p) {
    struct restoring *kept = calloc(1, sizeof *kept);
    if (!kept)
        return fail_memory(&c->work.error);
    p->held = kept;
    p->drop = drop_restoring;
    int code = read_ids(c, kept);
    code = code ? code : compare_to_restore(c, kept);
    struct restore r = {.call = c, .plan = p, .kept = kept};
    for (size_t i = 0; !code && i < kept->changes.n; i++) {
        code = restore_item(&r, &kept->changes.all[i]);
        if (!code && (code = budget_check(&c->work.budget)))
            code = fail_budget(&c->work.error, code);
    }
    return code;
}

/* Takes a snapshot of all that the restore changes, also of files that are ignored now and were not
 * when the older snapshot was taken. */
int prepare_snapshot_restore(struct call *c, struct plan *p) {
    struct restoring *r = p->held;
    char tag[64] = "before restoring ";
    if (p->n == 0)
        return AQFS_OK;
    memcpy(tag + strlen(tag), r->id, SNAPSHOT_ID);
    c->work.origin = ORIGIN_UNDO; /* nobody asked for this one: it takes no other one's room */
    return snapshot_take(c, (struct text_ref){tag, strlen(tag)},
                         r->other[0] ? &r->since : &r->changes, r->id, &r->safety, &r->report);
}

static void reply_change(struct call *c, const struct change *change) {
    const struct shown_item *shown = change->fetched_for;
    const char *action = snapshot_action(shown->old, shown->new);
    reply_map(&c->reply);
    reply_kv_path(&c->reply, KEY_PATH, change->at.path, change->at.len);
    reply_kv_keyword(&c->reply, KEY_ACTION, action);
    reply_end_map(&c->reply);
    buf_printf(&c->text, "%s ", action);
    path_show_safe(&c->text, change->at.path, change->at.len);
    buf_char(&c->text, '\n');
}

/* Whether change I is reported.  A write that needed a deletion before it is reported alone: both
 * are for the same item. */
static bool is_reported_change(const struct plan *p, size_t i) {
    return i + 1 == p->n || p->changes[i]->fetched_for != p->changes[i + 1]->fetched_for;
}

void report_snapshot_restore(struct call *c, const struct plan *p) {
    const struct restoring *r = p->held;
    reply_kv_cstring(&c->reply, KEY_ID, r->id);
    reply_kv_cstring(&c->reply, KEY_OTHER, r->other[0] ? r->other : NULL);
    reply_kv_cstring(&c->reply, KEY_SAFETY, p->n > 0 ? r->safety.id : NULL);
    reply_key(&c->reply, KEY_FILES);
    reply_list(&c->reply);
    for (size_t i = 0; i < p->n; i++)
        if (is_reported_change(p, i))
            reply_change(c, p->changes[i]);
    reply_end_list(&c->reply);
    if (p->n == 0)
        buf_str(&c->text, "Nothing differs: nothing was done\n");
    else
        buf_printf(&c->text, "What was there before is snapshot %s\n", r->safety.id);
}
