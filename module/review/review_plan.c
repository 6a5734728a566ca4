/* review_plan.c -- planning to take back items and hunks.
 *
 * A request becomes a wish for each place: what shall be there.  Wishes
 * that are fulfilled already are dropped, and the others become changes of a plan:
 * deletions first where something else gets the name, directories before what is
 * in them, and a directory that goes with all that is in it is one deletion.
 *
 * SPDX-License-Identifier: MIT
 */

#include "cleanup.h"
#include "plan_tree.h"
#include "protect.h"
#include "review_wish.h"
#include "secret.h"
#include "secret_read.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* -- changes ----------------------------------------------------------------------------------- */

static struct change *add_wished_change(struct wishing *w, enum change_kind kind,
                                        const struct wish *wish) {
    struct change *change;
    (void)plan_add_at(&w->call->work, w->plan, kind, &wish->at, &wish->seen, &change);
    return change;
}

/* How much of what is below WISH goes: by other wishes, or because it is moved back. */
static int64_t going_below(const struct wishing *w, const struct wish *wish) {
    int64_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct wish *other = &w->all[i];
        n += other->root == wish->root && other != wish && other->type == NODE_MISSING &&
             other->seen.type != NODE_MISSING && !other->fulfilled &&
             path_is_below(other->path, other->at.len, wish->path, wish->at.len);
    }
    for (size_t i = 0; i < w->moved; i++) {
        const struct change *change = w->plan->changes[i];
        if (change->kind == CHANGE_MOVE && change->from.root == wish->root &&
            path_is_below(change->from.path, change->from.len, wish->path, wish->at.len))
            n += 1 + change->entries;
    }
    return n;
}

static void settle_below(struct wishing *w, const struct wish *wish) {
    for (size_t i = 0; i < w->n; i++) {
        struct wish *other = &w->all[i];
        if (other->root == wish->root && other != wish && other->type == NODE_MISSING &&
            path_is_below(other->path, other->at.len, wish->path, wish->at.len))
            other->fulfilled = true;
    }
}

/* Is there a rule about something below, or another root? */
static bool is_of_one_kind(const struct aqfs_workspace *ws, const struct place *at) {
    char whole[2 * PATH_BYTES_MAX + 2];
    size_t n = (size_t)snprintf(whole, sizeof whole, "%s/%s", at->root->path, at->path);
    bool one = n < sizeof whole && !rules_deny_below(&ws->rules, whole, n);
    for (size_t i = 0; one && i < ws->root_count; i++)
        one = !path_is_below(ws->roots[i].path, ws->roots[i].len, whole, n);
    return one;
}

static bool may_be_moved(const struct aqfs_workspace *ws, const struct place *at) {
    return !workspace_hides(ws, at->root, at->path, at->len) &&
           protect_level(ws, at->root, at->path) != PROTECT_REFUSE && is_of_one_kind(ws, at);
}

/* A directory in which somebody else has something stays, even if nothing in it may be deleted. One
 * that cannot be looked through may hold anything. */
static int delete_directory(struct wishing *w, struct wish *wish, struct change **out) {
    struct call *c = w->call;
    const struct error before = c->work.error;
    *out = NULL;
    if (!is_of_one_kind(c->work.ws, &wish->at))
        return AQFS_OK;
    struct change *change = add_wished_change(w, CHANGE_DELETE, wish);
    if (!change)
        return AQFS_LIMIT;
    int code = plan_tree(&c->work, change, &change->at, change->held);
    bool all_goes = change->is_tree && change->entries == going_below(w, wish);
    if (code && (code != AQFS_PERMISSION || all_goes || !change->is_tree))
        return code;
    if (all_goes) {
        settle_below(w, wish);
        *out = change;
        return AQFS_OK;
    }
    c->work.error = before;
    plan_drop_last(w->plan);
    return AQFS_OK;
}

/* Deletes what is there.  *OUT becomes the change, or NULL if a directory stays. */
static int delete_wish(struct wishing *w, struct wish *wish, struct change **out) {
    if (wish->seen.type == NODE_DIRECTORY)
        return delete_directory(w, wish, out);
    struct change *change = *out = add_wished_change(w, CHANGE_DELETE, wish);
    if (!change)
        return AQFS_LIMIT;
    memcpy(change->held, wish->item->now.hash, HASH_HEX);
    return AQFS_OK;
}

/* Makes room for something of another type. */
static int clear_wish(struct wishing *w, struct wish *wish) {
    struct change *change;
    int code = delete_wish(w, wish, &change);
    if (code)
        return code;
    if (!change)
        return review_fail_item(w->call, AQFS_EXISTS, wish->item,
                                "has the name of a directory with other files in it");
    change->clears = wish->type == NODE_DIRECTORY;
    wish->seen = (struct info){.type = NODE_MISSING};
    wish->at.type = NODE_MISSING;
    return AQFS_OK;
}

/* A link is shown, and made, by its text. */
static int fetch_link(struct work *work, const struct change *change, enum side side,
                      struct buf *out) {
    if (side == SIDE_NEW)
        buf_add(out, change->new_bytes.data, change->new_bytes.len);
    return out->failed ? fail_memory(&work->error) : AQFS_OK;
}

static const struct secret_group lost_name = {
    "A lost name", "It was a secret, or had other names, when it was deleted."};

/* A file that is put back has the permissions that it had. */
static int write_wish(struct wishing *w, struct wish *wish) {
    struct work *work = &w->call->work;
    bool replaces = wish->type == NODE_FILE && wish->seen.type == NODE_FILE;
    int code = wish->seen.type == NODE_MISSING || replaces ? AQFS_OK : clear_wish(w, wish);
    code = code ? code : plan_parents(work, w->plan, &wish->at, true);
    struct change *change = code ? NULL : add_wished_change(w, CHANGE_WRITE, wish);
    if (!change)
        return code ? code : AQFS_LIMIT;
    if (replaces) {
        code = plan_read(work, change);
        if (!code && wish_is_at_item(wish) && strcmp(plan_held(change), wish->item->now.hash) != 0)
            return review_fail_item(w->call, AQFS_STALE, wish->item,
                                    "changed while it was looked at");
    }
    change->is_new = !replaces;
    if (call_keeps_secrets(w->call) && review_item_is_veiled(w->call, wish->item))
        change->below_secret = &lost_name;
    change->edits = replaces && (!wish->mode || wish->mode == (wish->seen.mode & KEPT_MODES));
    change->mode = wish->type == NODE_SYMLINK     ? MODE_LINK
                   : change->edits || !wish->mode ? MODE_KEPT
                                                  : MODE_EXACT;
    change->bits = change->mode == MODE_EXACT ? wish->mode : 0;
    if (wish->mode && replaces) {
        change->old_mode = S_IFREG | (wish->seen.mode & KEPT_MODES);
        change->new_mode = S_IFREG | wish->mode;
    }
    if (change->mode == MODE_LINK) {
        change->fetch = fetch_link;
        change->old_mode = 0;
        change->new_mode = S_IFLNK;
    }
    return code ? code : plan_set_bytes(work, change, &wish->bytes);
}

/* A move back into the directory has planned it already. */
static int make_wish(struct wishing *w, struct wish *wish) {
    struct change *made = w->moved ? plan_made(w->plan, wish->root, wish->path) : NULL;
    if (made) {
        made->bits = wish->mode;
        return AQFS_OK;
    }
    int code = wish->seen.type == NODE_MISSING ? AQFS_OK : clear_wish(w, wish);
    code = code ? code : plan_parents(&w->call->work, w->plan, &wish->at, true);
    struct change *change = code ? NULL : add_wished_change(w, CHANGE_MAKE_DIRECTORY, wish);
    if (!change)
        return code ? code : AQFS_LIMIT;
    change->bits = wish->mode;
    return AQFS_OK;
}

static int grant(struct wishing *w, struct wish *wish) {
    struct change *ignored;
    int code = wish->fulfilled ? AQFS_OK : review_check_budget(w->call);
    if (code || wish->fulfilled)
        return code;
    switch (wish->type) {
    case NODE_DIRECTORY:
        /* That its permissions differ is nothing that a plan can change. */
        return wish->seen.type == NODE_DIRECTORY ? AQFS_OK : make_wish(w, wish);
    case NODE_MISSING:
        return delete_wish(w, wish, &ignored);
    default:
        return write_wish(w, wish);
    }
}

/* A directory that was moved goes back by a rename, with whatever is in it by now. */
static int move_back(struct wishing *w, const struct review_item *item) {
    struct call *c = w->call;
    struct info seen;
    struct review_side side = {0};
    struct change draft = {.kind = CHANGE_MOVE};
    int code = review_check_item(c, item);
    code = code ? code : review_look(&c->work, item->base_root, item->base_path, &side, &seen);
    buf_free(&side.bytes);
    if (!code && seen.type != NODE_MISSING)
        code = review_fail_item(c, AQFS_EXISTS, item,
                                "cannot go back, since its former name is taken");
    if (code)
        return code;
    draft.from = (struct place){.root = item->root, .len = strlen(item->path)};
    memcpy(draft.from.path, item->path, draft.from.len + 1);
    draft.from.type = item->seen.type;
    draft.seen_from = item->seen;
    draft.at = (struct place){.root = item->base_root, .len = strlen(item->base_path)};
    memcpy(draft.at.path, item->base_path, draft.at.len + 1);
    draft.at.type = draft.seen.type = NODE_MISSING;
    if (!may_be_moved(c->work.ws, &draft.from) || !may_be_moved(c->work.ws, &draft.at))
        return review_fail_item(c, AQFS_RESTRICTED, item,
                                "is restricted, or has restricted paths or a root below it");
    code = plan_parents(&c->work, w->plan, &draft.at, true);
    struct change *change = code ? NULL : plan_add(w->plan, CHANGE_MOVE);
    if (!change)
        return code ? code : fail_memory(&c->work.error);
    *change = draft;
    return plan_tree(&c->work, change, &change->from, change->will_hold);
}

/* Is something else to be taken back in MOVED, where it is or where it was? */
static bool is_entangled(const struct review *r, const struct value *ids,
                         const struct review_item *moved) {
    for (size_t i = 0; i < r->n; i++) {
        const struct review_item *item = r->items[i];
        size_t n = strlen(item->path), base_n = strlen(item->base_path);
        bool below =
            path_is_below(item->path, n, moved->path, strlen(moved->path)) ||
            path_is_below(item->base_path, base_n, moved->base_path, strlen(moved->base_path));
        bool some = review_is_asked_for(ids, item);
        for (size_t j = 0; !some && j < item->hunk_n; j++)
            some = review_is_asked(ids, item->hunks[j].id);
        if (item != moved && below && some)
            return true;
    }
    return false;
}

static int move_all_back(struct wishing *w, const struct value *ids) {
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < w->review->n; i++) {
        const struct review_item *item = w->review->items[i];
        code = review_check_budget(w->call);
        if (code)
            return code;
        if (!review_is_moved_directory(item) || !review_is_asked_for(ids, item))
            continue;
        if (is_entangled(w->review, ids, item))
            return review_fail_item(w->call, AQFS_INVALID_ARGUMENT, item,
                                    "is a directory that was moved: take back what is in it first");
        code = move_back(w, item);
        w->moved = w->plan->n;
    }
    return code;
}

static void wishes_free(struct wishing *w) {
    for (size_t i = 0; i < w->n; i++)
        buf_free(&w->all[i].bytes);
    free(w->all);
}

int review_plan(struct review *r, struct plan *p, const struct value *ids) {
    AUTO(wishes_free) struct wishing w = {.call = r->call_of, .plan = p, .review = r};
    int code = move_all_back(&w, ids);
    code = code ? code : wishes_gather(&w, ids);
    code = code ? code : wishes_look(&w);
    /* Deletions first: a directory that goes whole settles what is below it. */
    for (size_t i = 0; !code && i < w.n; i++)
        if (w.all[i].type == NODE_MISSING)
            code = grant(&w, &w.all[i]);
    for (size_t i = 0; !code && i < w.n; i++)
        if (w.all[i].type != NODE_MISSING)
            code = grant(&w, &w.all[i]);
    return code;
}
