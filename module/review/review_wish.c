/* review_wish.c -- what shall be at each place when items and hunks are taken back.
 *
 * SPDX-License-Identifier: MIT
 */
#include "review_wish.h"
#include "array.h"
#include "cleanup.h"
#include "protect.h"

#include <string.h>

/* -- refusals ---------------------------------------------------------------------------------- */

int review_fail_item(struct call *c, enum code code, const struct review_item *item,
                     const char *why) {
    char label[PATH_LABEL];
    return fail(&c->work.error, code, "'%s' %s: nothing was taken back",
                path_label(item->path, strlen(item->path), label), why);
}

int review_check_item(struct call *c, const struct review_item *item) {
    if (item->mixed)
        return review_fail_item(
            c, AQFS_STALE, item,
            "was changed by somebody else since, in a way that cannot be told apart");
    if (item->partial)
        return review_fail_item(c, AQFS_NOT_FOUND, item,
                                "is a directory of which more was deleted than could be kept");
    if ((item->base.type == NODE_FILE || item->base.type == NODE_SYMLINK) && !item->base.known)
        return review_fail_item(c, AQFS_NOT_FOUND, item,
                                "is something whose former content is not kept (any more)");
    for (size_t i = 0; i < item->hunk_n; i++)
        if (item->hunks[i].mixed)
            return review_fail_item(c, AQFS_STALE, item,
                                    "has lines that somebody else has changed since");
    return AQFS_OK;
}

/* -- wishes ------------------------------------------------------------------------------------ */

static struct wish *add_wish(struct wishing *w, const struct review_item *item,
                             const struct root *root, const char *path) {
    struct wish *all = array_with_room(w->all, w->n, &w->room, sizeof *all);
    if (!all)
        return NULL;
    w->all = all;
    struct wish *wish = &w->all[w->n++];
    *wish = (struct wish){.root = root, .path = path, .item = item, .type = NODE_MISSING};
    return wish;
}

bool review_is_moved(const struct review_item *item) {
    return item->root != item->base_root || strcmp(item->path, item->base_path) != 0;
}

static int wish_item(struct wishing *w, const struct review_item *item) {
    int code = review_check_item(w->call, item);
    struct wish *wish = code ? NULL : add_wish(w, item, item->base_root, item->base_path);
    if (!wish)
        return code ? code : fail_memory(&w->call->work.error);
    wish->type = item->base.type;
    wish->mode = item->base.mode;
    buf_add(&wish->bytes, review_text(&item->base).data, item->base.bytes.len);
    if (wish->bytes.failed || (review_is_moved(item) && !add_wish(w, item, item->root, item->path)))
        return fail_memory(&w->call->work.error);
    return AQFS_OK;
}

bool review_is_asked(const struct value *ids, const char *id) {
    for (size_t i = 0; i < ids->count; i++)
        if (ids->list[i].len == HASH_HEX - 1 && memcmp(ids->list[i].data, id, HASH_HEX - 1) == 0)
            return true;
    return false;
}

bool review_is_asked_for(const struct value *ids, const struct review_item *item) {
    return !ids->known || review_is_asked(ids, item->id);
}

bool review_is_moved_directory(const struct review_item *item) {
    return review_is_moved(item) && item->now.type == NODE_DIRECTORY;
}

/* The present text with the hunks that IDS name taken back.  *N counts those. */
static int wish_hunks(struct wishing *w, const struct review_item *item, const struct value *ids,
                      size_t *n) {
    struct wish wish = {.root = item->root,
                        .path = item->path,
                        .item = item,
                        .type = NODE_FILE,
                        .mode = item->now.mode};
    struct text_ref now = review_text(&item->now), base = review_text(&item->base);
    size_t done = 0, taken = 0;
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < item->hunk_n; i++) {
        const struct review_hunk *hunk = &item->hunks[i];
        code = review_check_budget(w->call);
        if (code || !review_is_asked(ids, hunk->id))
            continue;
        taken++;
        if (hunk->mixed)
            code = review_fail_item(w->call, AQFS_STALE, item,
                                    "has lines there that somebody else has changed since");
        buf_add(&wish.bytes, now.data + done, hunk->new.at - done);
        buf_add(&wish.bytes, base.data + hunk->old.at, hunk->old.len);
        done = hunk->new.at + hunk->new.len;
    }
    buf_add(&wish.bytes, now.data + done, now.len - done);
    *n += taken;
    struct wish *added = code || taken == 0 ? NULL : add_wish(w, item, item->root, item->path);
    if (!code && (wish.bytes.failed || (taken > 0 && !added)))
        code = fail_memory(&w->call->work.error);
    if (added)
        *added = wish;
    else
        buf_free(&wish.bytes);
    return code;
}

int wishes_gather(struct wishing *w, const struct value *ids) {
    size_t found = 0;
    int code = AQFS_OK;
    for (size_t i = 0; !code && i < w->review->n; i++) {
        const struct review_item *item = w->review->items[i];
        code = review_check_budget(w->call);
        if (code)
            return code;
        if (review_is_moved_directory(item) && review_is_asked_for(ids, item)) {
            found++;
            continue;
        }
        bool only_hunk = item->hunk_n == 1 &&
                         (item->base.type == NODE_MISSING || item->now.type == NODE_MISSING);
        if (!ids->known || review_is_asked(ids, item->id) ||
            (only_hunk && review_is_asked(ids, item->hunks[0].id))) {
            found++;
            code = wish_item(w, item);
        } else {
            code = wish_hunks(w, item, ids, &found);
        }
    }
    if (!code && ids->known && found < ids->count)
        return fail(&w->call->work.error, AQFS_STALE,
                    "%zu of %zu hunks are not there any more as they were shown: nothing was taken "
                    "back",
                    ids->count - found, ids->count);
    return code;
}

/* -- what is there ----------------------------------------------------------------------------- */

static int compare_wishes(const void *x, const void *y) {
    const struct wish *a = x, *b = y;
    if (a->root != b->root)
        return a->root < b->root ? -1 : 1;
    int order = strcmp(a->path, b->path);
    /* A wish that something be there comes before one that something go. */
    return order ? order : (a->type == NODE_MISSING) - (b->type == NODE_MISSING);
}

/* Is the wish about the place where its item is now? */
bool wish_is_at_item(const struct wish *wish) {
    const struct review_item *item = wish->item;
    return !item->covered && wish->root == item->root && strcmp(wish->path, item->path) == 0;
}

static int look_at_wish(struct wishing *w, struct wish *wish) {
    struct call *c = w->call;
    AUTO(review_side_free) struct review_side now = {0};
    wish->at = (struct place){.root = wish->root, .len = strlen(wish->path)};
    memcpy(wish->at.path, wish->path, wish->at.len + 1);
    if (workspace_hides(c->work.ws, wish->root, wish->path, wish->at.len) ||
        protect_level(c->work.ws, wish->root, wish->path) == PROTECT_REFUSE)
        return review_fail_item(c, AQFS_RESTRICTED, wish->item, "is restricted, or inside .git");
    int code = review_look(&c->work, wish->root, wish->path, &now, &wish->seen);
    wish->at.type = wish->seen.type;
    if (code)
        return code;
    bool is_item = wish_is_at_item(wish);
    if (is_item &&
        (now.type != wish->item->now.type || strcmp(now.hash, wish->item->now.hash) != 0))
        return review_fail_item(c, AQFS_STALE, wish->item, "changed while it was looked at");
    wish->fulfilled =
        now.type == wish->type && (!wish->mode || wish->mode == now.mode) &&
        (now.type != NODE_FILE && now.type != NODE_SYMLINK
             ? true
             : text_ref_equal(
                   review_text(&now),
                   (struct text_ref){wish->bytes.data ? wish->bytes.data : "", wish->bytes.len}));
    return AQFS_OK;
}

/* Of two wishes for one place, the one that something be there counts. */
int wishes_look(struct wishing *w) {
    int code = AQFS_OK;
    if (w->n > 1)
        qsort(w->all, w->n, sizeof *w->all, compare_wishes);
    for (size_t i = 0; !code && i < w->n; i++) {
        struct wish *wish = &w->all[i];
        code = review_check_budget(w->call);
        code = code ? code : look_at_wish(w, wish);
        if (code || i == 0 || wish[-1].root != wish->root || strcmp(wish[-1].path, wish->path) != 0)
            continue;
        if (wish->type != NODE_MISSING)
            return review_fail_item(w->call, AQFS_STALE, wish->item,
                                    "and another file would both be put back under this name");
        wish->fulfilled = true;
    }
    return code;
}
