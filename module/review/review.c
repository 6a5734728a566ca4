/* review.c -- what some calls have changed: the items and their bases.
 *
 * SPDX-License-Identifier: MIT
 */
#include "review_parts.h"

#include "cleanup.h"
#include "merge.h"
#include "secret_read.h"

#include <string.h>

/* -- bases ------------------------------------------------------------------------------------- */

/* Somebody else has made FROM of what the calls left last: does the same to both bases. */
static int follow(struct work *work, struct review_item *item, const struct review_side *from) {
    struct review_side *bases[] = {&item->base, &item->base_theirs};
    const enum merge_side sides[] = {MERGE_MINE, MERGE_THEIRS};
    if (review_is_same(&item->last, from))
        return AQFS_OK;
    /* The earlier state is there again. */
    if (review_is_same(&item->base, from) && from->known)
        return AQFS_OK;
    bool texts = review_knows_file(&item->last) && review_knows_file(from) &&
                 review_knows_file(&item->base) && item->base_theirs.known;
    if (!texts) {
        item->mixed = true;
        return AQFS_OK;
    }
    for (size_t i = 0; i < 2; i++) {
        struct buf merged = {0};
        size_t clashes = 0;
        const struct merge_texts both = {review_text(&item->last), review_text(bases[i]),
                                         review_text(from), sides[i]};
        int code = merge_both(&work->ws->libraries, &both, &merged, &clashes, &work->error);
        buf_free(&bases[i]->bytes);
        bases[i]->bytes = merged;
        if (code)
            return code;
        review_side_hash(bases[i]);
    }
    return AQFS_OK;
}

int review_check_budget(struct call *c) {
    int code = budget_check(&c->work.budget);
    return code ? fail_budget(&c->work.error, code) : AQFS_OK;
}

/* -- steps ------------------------------------------------------------------------------------- */

/* The item at a place that a call has changed: there was WAS before.  NULL if *CODE is an error. */
static struct review_item *begin_item(struct review *r, const struct kept_call *call,
                                      const struct root *root, const char *path,
                                      const struct review_side *was, int *code) {
    struct work *work = &r->call_of->work;
    struct review_item *known = review_item_at(r, root, path);
    struct review_item *item = known ? known : review_add_item(r, root, path);
    if (!item) {
        *code = fail_memory(&work->error);
        return NULL;
    }
    if (known && !known->carried) {
        *code = follow(work, item, was);
    } else {
        item->carried = false;
        *code = review_side_copy(&item->base, was, &work->error);
        *code = *code ? *code : review_side_copy(&item->base_theirs, was, &work->error);
    }
    item->secret = item->secret || was->secret;
    item->named = item->named || was->named;
    memcpy(item->call, call->id, KEPT_ID);
    return *code ? NULL : item;
}

static bool hides_path(const struct review *r, const struct root *root, const char *path) {
    return workspace_hides(r->call_of->work.ws, root, path, strlen(path));
}

/* An entry that may not be seen is left out, and so the directory does not come back whole. */
static void leave_out_entry(struct review *r, const struct kept_step *step) {
    struct review_item *item = review_item_at(r, step->root, step->path);
    if (item)
        item->partial = true;
}

static int review_entries(struct review *r, const struct kept_call *call,
                          const struct kept_step *step) {
    struct work *work = &r->call_of->work;
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < step->entry_n; i++) {
        AUTO(buf_free) struct buf path = {0};
        struct review_side was = {0};
        buf_printf(&path, "%s/%s", step->path, step->entries[i].path);
        if (!path.failed && hides_path(r, step->root, path.data)) {
            leave_out_entry(r, step);
            continue;
        }
        code = path.failed ? fail_memory(&work->error) : review_check_budget(r->call_of);
        code = code ? code : review_side_of(work, call, step, &step->entries[i].was, &was);
        struct review_item *item =
            code ? NULL : begin_item(r, call, step->root, path.data, &was, &code);
        if (item) {
            review_side_free(&item->last);
            item->last.type = NODE_MISSING;
        }
        review_side_free(&was);
    }
    return code;
}

static int review_step(struct review *r, const struct kept_call *call,
                       const struct kept_step *step) {
    struct work *work = &r->call_of->work;
    struct review_side was = {0};
    int code = review_side_of(work, call, step, &step->was, &was);
    struct review_item *item =
        code ? NULL : begin_item(r, call, step->root, step->path, &was, &code);
    review_side_free(&was);
    if (!item)
        return code;
    item->partial = item->partial || step->partial;
    code = review_side_of(work, call, step, &step->is, &item->last);
    return code ? code : review_entries(r, call, step);
}

static bool set_text(char **text, const char *to) {
    char *copy = strdup(to);
    if (copy) {
        free(*text);
        *text = copy;
    }
    return copy != NULL;
}

/* Has the items at FROM, and below it, follow the move. */
static int move_items(struct review *r, const struct kept_step *step) {
    size_t n = strlen(step->from);
    bool moved = false;
    for (size_t i = 0; i < r->n; i++) {
        struct review_item *item = r->items[i];
        AUTO(buf_free) struct buf path = {0};
        if (item->root != step->from_root ||
            !path_is_below(item->path, strlen(item->path), step->from, n) ||
            item->last.type == NODE_MISSING)
            continue;
        buf_printf(&path, "%s%s", step->path, item->path + n);
        if (path.failed || !set_text(&item->path, path.data))
            return fail_memory(&r->call_of->work.error);
        item->root = step->root;
        moved = true;
    }
    if (moved && !review_rechain(r))
        return fail_memory(&r->call_of->work.error);
    return AQFS_OK;
}

/* A move over something else replaces that, which is then an item of its own. */
static int review_move(struct review *r, const struct kept_call *call,
                       const struct kept_step *step) {
    struct work *work = &r->call_of->work;
    struct review_side was = {0};
    int code = AQFS_OK;
    if (step->was.type != NODE_MISSING) {
        code = review_side_of(work, call, step, &step->was, &was);
        struct review_item *under =
            code ? NULL : begin_item(r, call, step->root, step->path, &was, &code);
        review_side_free(&was);
        if (under) {
            review_side_free(&under->last);
            under->last.type = NODE_MISSING;
        }
        code = code ? code : review_entries(r, call, step);
    }
    bool known = !code && review_item_at(r, step->from_root, step->from) &&
                 review_item_at(r, step->from_root, step->from)->last.type != NODE_MISSING;
    code = code ? code : move_items(r, step);
    if (code || known)
        return code;
    /* Its base is what it was when it was moved, whatever that was: only its place differs. */
    struct review_item *item = review_add_item(r, step->root, step->path);
    if (!item || !set_text(&item->base_path, step->from))
        return fail_memory(&work->error);
    item->base_root = step->from_root;
    item->carried = true;
    item->base = item->base_theirs = item->last = (struct review_side){
        .type = step->is.type,
        .mode = step->is.mode,
    };
    memcpy(item->call, call->id, KEPT_ID);
    memcpy(item->last.hash, step->is.hash, HASH_HEX);
    return AQFS_OK;
}

bool review_is_of_some(struct call *c) {
    return call_arg(c, "calls")->known || call_arg(c, "since")->known;
}

/* Leaves of ITEM's differences those in the places where NOW and OTHER differ; if APART, those in
 * all other places. */
static int accept_places(struct work *work, struct review_item *item, const struct review_side *now,
                         const struct review_side *other, bool apart) {
    struct review_side *bases[] = {&item->base, &item->base_theirs};
    int code = follow(work, item, now);
    for (size_t i = 0; !code && i < 2; i++) {
        struct buf merged = {0};
        const struct merge_texts texts = {review_text(now), review_text(bases[i]),
                                          review_text(other), MERGE_MINE};
        code = merge_touching(&work->ws->libraries, &texts, apart, &merged, &work->error);
        buf_free(&bases[i]->bytes);
        bases[i]->bytes = merged;
        review_side_hash(bases[i]);
    }
    return code ? code : review_side_copy(&item->last, now, &work->error);
}

/* Accepts in ITEM what the record in STEP says, where this review, or the one in which it was
 * accepted, is of some calls only, and texts are known.  Tells *DONE whether it was so.  A record
 * from a review of some calls has a second entry: the text without what was accepted. */
static int accept_in_part(struct review *r, const struct kept_call *call,
                          const struct kept_step *step, struct review_item *item, bool *done) {
    struct work *work = &r->call_of->work;
    struct review_side now = {0}, other = {0};
    bool apart = step->entry_n > 1, some = apart || review_is_of_some(r->call_of);
    const struct kept_side *kept = apart ? &step->entries[1].was : &step->was;
    int code = some ? review_side_of(work, call, step, &step->is, &now) : AQFS_OK;
    code = code || !some ? code : review_side_of(work, call, step, kept, &other);
    *done = !code && some && review_knows_file(&now) && review_knows_file(&other) &&
            review_knows_file(&item->last) && review_knows_file(&item->base) &&
            review_knows_file(&item->base_theirs);
    if (*done)
        code = accept_places(work, item, &now, &other, apart);
    review_side_free(&now);
    review_side_free(&other);
    return code;
}

/* Somebody has accepted what stands in `is`, up to the base in `was`. */
static int review_accepted(struct review *r, const struct kept_call *call,
                           const struct kept_step *step) {
    struct work *work = &r->call_of->work;
    struct review_item *item = review_item_at(r, step->root, step->path);
    if (!item)
        return AQFS_OK;
    item->mixed = item->carried = false;
    if (!step->from) { /* that it was moved is accepted, too */
        item->base_root = item->root;
        if (!set_text(&item->base_path, item->path))
            return fail_memory(&work->error);
    }
    bool done = false;
    int code = accept_in_part(r, call, step, item, &done);
    if (code || done)
        return code;
    code = review_side_of(work, call, step, &step->was, &item->base);
    const struct kept_side *theirs = step->entry_n > 0 ? &step->entries[0].was : &step->was;
    code = code ? code : review_side_of(work, call, step, theirs, &item->base_theirs);
    return code ? code : review_side_of(work, call, step, &step->is, &item->last);
}

/* May this workspace see what STEP is about? */
static bool is_visible(const struct review *r, const struct kept_step *step) {
    if (!step->root || hides_path(r, step->root, step->path))
        return false;
    return !step->from || (step->from_root && !hides_path(r, step->from_root, step->from));
}

int review_call(struct review *r, const struct kept_call *call, bool asked) {
    bool accepts = strcmp(call->operation, ACCEPT_OPERATION) == 0;
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < call->n; i++) {
        const struct kept_step *step = &call->steps[i];
        bool is_move = step->action == KEPT_MOVE;
        if (!is_visible(r, step)) {
            /* An entry that is moved to a restricted place is restricted there. */
            if (is_move && step->root && step->from_root)
                code = move_items(r, step);
            continue;
        }
        if (accepts)
            code = review_accepted(r, call, step);
        else if (is_move)
            code = asked ? review_move(r, call, step) : move_items(r, step);
        else if (asked)
            code = review_step(r, call, step);
    }
    r->calls += asked;
    return code;
}

/* -- what is there now ------------------------------------------------------------------------- */

static int look_now(struct work *work, struct review_item *item) {
    if (item->covered) {
        item->now.type = NODE_MISSING;
        return AQFS_OK;
    }
    const struct error before = work->error;
    int code = review_look(work, item->root, item->path, &item->now, &item->seen);
    if (code == AQFS_RESTRICTED || code == AQFS_PERMISSION) {
        work->error = before;
        item->unread = item->mixed = true;
        item->now.type = item->last.type;
        return AQFS_OK;
    }
    if (code)
        return code;
    /* Permissions that somebody else has given stay. */
    if (item->base.mode == item->last.mode || item->now.mode != item->last.mode)
        item->base.mode = item->base_theirs.mode = item->now.mode;
    if (!item->carried)
        return follow(work, item, &item->now);
    /* Somebody's own changes to a moved entry go back with it. */
    item->mixed = item->mixed || item->now.type != item->last.type;
    code = review_side_copy(&item->base, &item->now, &work->error);
    return code ? code : review_side_copy(&item->base_theirs, &item->now, &work->error);
}

bool review_item_is_whole(const struct review_item *item) {
    return item->base.type != item->now.type || strcmp(item->path, item->base_path) != 0 ||
           item->root != item->base_root || (item->base.mode && item->base.mode != item->now.mode);
}

static bool differs(const struct review_item *item) {
    return review_item_is_whole(item) || !review_is_same(&item->base, &item->now);
}

static int compare_items(const void *x, const void *y) {
    const struct review_item *const *a = x, *const *b = y;
    if ((*a)->root != (*b)->root)
        return (*a)->root < (*b)->root ? -1 : 1;
    return strcmp((*a)->path, (*b)->path);
}

/* Leaves those items that this workspace may see, wherever moves have brought them. */
static int drop_hidden_items(struct review *r) {
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct review_item *item = r->items[i];
        if (hides_path(r, item->root, item->path) ||
            hides_path(r, item->base_root, item->base_path))
            review_item_free(item);
        else
            r->items[n++] = item;
    }
    r->n = n;
    return n == 0 || review_rechain(r) ? AQFS_OK : fail_memory(&r->call_of->work.error);
}

/* Leaves those items that differ from their bases. */
static int compare_with_now(struct review *r) {
    size_t n = 0;
    int code = drop_hidden_items(r);
    if (code)
        return code;
    for (size_t i = 0; i < r->n; i++)
        r->items[i]->covered = review_is_covered(r, i);
    for (size_t i = 0; i < r->n; i++) {
        struct review_item *item = r->items[i];
        code = code ? code : review_check_budget(r->call_of);
        code = code ? code : look_now(&r->call_of->work, item);
        code = code ? code : review_hunks(&r->call_of->work, item);
        if (code || differs(item))
            r->items[n++] = item;
        else
            review_item_free(item);
    }
    r->n = n;
    if (n > 1)
        qsort(r->items, n, sizeof(*r->items), compare_items);
    return code;
}

bool review_item_is_veiled(const struct call *c, const struct review_item *item) {
    bool model = call_keeps_secrets(c), is_gone = item->now.type == NODE_MISSING;
    return (model && item->secret) ||
           (is_gone && item->named && (model || c->work.ws->rules.any_deny));
}

const char *review_action(const struct review_item *item) {
    if (item->base.type == NODE_MISSING)
        return "added";
    if (item->now.type == NODE_MISSING)
        return "deleted";
    return strcmp(item->path, item->base_path) != 0 ? "moved" : "modified";
}

int review_run(struct call *c, struct review *out) {
    AUTO(kept_ids_free) struct kept_ids ids = {0};
    out->call_of = c;
    int code = kept_list(&c->work, &ids);
    code = code ? code : review_gather(out, &ids);
    return code ? code : compare_with_now(out);
}
