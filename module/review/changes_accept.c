/* changes_accept.c -- changes_accept.
 *
 * An accepted change is no difference any more.  A record among those of the calls
 * says so: for each file, what its base is from now on, and what stood there.
 * Nothing of the project is touched, and to forget the record is to take that back.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "journal.h"
#include "kept_write.h"
#include "merge.h"
#include "review.h"
#include "review_ops.h"

#include <string.h>

/* Kept with the plan. */
struct accepting {
    struct review review;
    struct buf *bases, *theirs; /* of each item that is accepted in parts */
    struct buf *without;        /* each item's text without what is accepted */
    bool of_some;               /* calls: other calls' changes are not accepted with them */
    bool *whole, *some;         /* which items are accepted */
    size_t n;                   /* of them */
    char id[KEPT_ID];
};

static void drop_accepting(void *held) {
    struct accepting *a = held;
    for (size_t i = 0; i < a->review.n; i++) {
        if (a->bases)
            buf_free(&a->bases[i]);
        if (a->theirs)
            buf_free(&a->theirs[i]);
        if (a->without)
            buf_free(&a->without[i]);
    }
    free(a->bases);
    free(a->theirs);
    free(a->without);
    free(a->whole);
    free(a->some);
    review_free(&a->review);
    free(a);
}

static bool names(const struct value *ids, const char *id) {
    for (size_t i = 0; i < ids->count; i++)
        if (ids->list[i].len == HASH_HEX - 1 && memcmp(ids->list[i].data, id, HASH_HEX - 1) == 0)
            return true;
    return false;
}

static void tell_hunk(const struct review_hunk *hunk, struct buf *out) {
    if (hunk->count > 1)
        buf_printf(out, "  lines %zu to %zu", hunk->line, hunk->line + hunk->count - 1);
    else
        buf_printf(out, hunk->count ? "  line %zu" : "  what stood before line %zu", hunk->line);
    buf_printf(out, ", +%zu -%zu (%s)\n", hunk->added, hunk->removed, hunk->id);
}

/* Tells OUT what of ITEM is accepted: all, or the hunks that IDS name.  The ids have the digest of
 * the plan be that of these very changes. */
static void tell_accepted(const struct call *c, const struct review_item *item, bool whole,
                          const struct value *ids, struct buf *out) {
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, item->root, item->path, strlen(item->path), &path);
    buf_str(out, whole ? "Accepts all changes of " : "Accepts of ");
    path_show_safe(out, path.data ? path.data : "", path.len);
    out->failed = out->failed || path.failed;
    if (whole)
        buf_printf(out, " (%s)\n", item->id);
    else
        buf_str(out, "\n");
    for (size_t i = 0; !whole && i < item->hunk_n; i++)
        if (names(ids, item->hunks[i].id))
            tell_hunk(&item->hunks[i], out);
}

/* The text of item I without those of its hunks that IDS name, or without all if it is WHOLE. */
static int take_accepted_away(struct call *c, struct accepting *a, size_t i,
                              const struct value *ids) {
    const struct review_item *item = a->review.items[i];
    struct text_ref base = review_text(&item->base), now = review_text(&item->now);
    struct buf *out = &a->without[i];
    size_t done = 0;
    for (size_t j = 0; j < item->hunk_n; j++) {
        const struct review_hunk *hunk = &item->hunks[j];
        if (!a->whole[i] && !names(ids, hunk->id))
            continue;
        buf_add(out, now.data + done, hunk->new.at - done);
        buf_add(out, base.data + hunk->old.at, hunk->old.len);
        done = hunk->new.at + hunk->new.len;
    }
    buf_add(out, now.data + done, now.len - done);
    return out->failed ? fail_memory(&c->work.error) : AQFS_OK;
}

/* The base of item I as it is when the hunks that IDS name are accepted. */
static int accept_hunks(struct call *c, struct accepting *a, size_t i, const struct value *ids,
                        size_t *found) {
    const struct review_item *item = a->review.items[i];
    struct text_ref base = review_text(&item->base), now = review_text(&item->now);
    size_t done = 0, taken = 0, clashes = 0;
    for (size_t j = 0; j < item->hunk_n; j++) {
        const struct review_hunk *hunk = &item->hunks[j];
        if (!names(ids, hunk->id))
            continue;
        taken++;
        buf_add(&a->bases[i], base.data + done, hunk->old.at - done);
        buf_add(&a->bases[i], now.data + hunk->new.at, hunk->new.len);
        done = hunk->old.at + hunk->old.len;
    }
    if (taken == 0)
        return AQFS_OK;
    *found += taken;
    a->some[i] = true;
    a->whole[i] = taken == item->hunk_n && !review_item_is_whole(item);
    buf_add(&a->bases[i], base.data + done, base.len - done);
    if (a->bases[i].failed)
        return fail_memory(&c->work.error);
    struct text_ref accepted = {a->bases[i].data, a->bases[i].len};
    const struct merge_texts texts = {base, review_text(&item->base_theirs), accepted,
                                      MERGE_THEIRS};
    return merge_both(&c->work.ws->libraries, &texts, &a->theirs[i], &clashes, &c->work.error);
}

static int choose_accepted(struct call *c, struct accepting *a, struct plan *p) {
    const struct value *ids = call_arg(c, "hunks");
    size_t n = a->review.n, found = 0;
    int code = AQFS_OK;
    a->bases = calloc(n + 1, sizeof *a->bases);
    a->theirs = calloc(n + 1, sizeof *a->theirs);
    a->without = calloc(n + 1, sizeof *a->without);
    a->of_some = review_is_of_some(c);
    a->whole = calloc(n + 1, sizeof *a->whole);
    a->some = calloc(n + 1, sizeof *a->some);
    if (!a->bases || !a->theirs || !a->without || !a->whole || !a->some)
        return fail_memory(&c->work.error);
    for (size_t i = 0; !code && i < n; i++) {
        const struct review_item *item = a->review.items[i];
        bool is_one = item->hunk_n == 1 &&
                      (item->base.type == NODE_MISSING || item->now.type == NODE_MISSING);
        a->whole[i] = a->some[i] =
            !ids->known || names(ids, item->id) || (is_one && names(ids, item->hunks[0].id));
        if (a->whole[i])
            found++;
        else
            code = accept_hunks(c, a, i, ids, &found);
        if (!code && a->some[i])
            code = take_accepted_away(c, a, i, ids);
        a->n += a->some[i];
        if (a->some[i])
            tell_accepted(c, item, a->whole[i], ids, &p->diff);
    }
    if (!code && ids->known && found < ids->count)
        return fail(&c->work.error, AQFS_STALE,
                    "%zu of %zu hunks are not there any more as they were shown: nothing was "
                    "accepted",
                    ids->count - found, ids->count);
    return code;
}

int plan_changes_accept(struct call *c, struct plan *p) {
    struct accepting *a = calloc(1, sizeof *a);
    if (!a)
        return fail_memory(&c->work.error);
    p->held = a;
    p->drop = drop_accepting;
    int code = review_run(c, &a->review);
    code = code ? code : choose_accepted(c, a, p);
    a->review.call_of = NULL; /* the plan may outlive the call */
    buf_printf(&p->summary, "%s: accepts changes of %zu ", c->op->name, a->n);
    buf_str(&p->summary, a->n == 1 ? "file" : "files");
    return code;
}

static void write_review_side(struct kept_writer *w, const char *key,
                              const struct review_side *side, const struct buf *instead) {
    struct text_ref text = review_text(side);
    if (instead)
        text = (struct text_ref){instead->data ? instead->data : "", instead->len};
    reply_key(&w->header, key);
    reply_map(&w->header);
    if (side->known || instead)
        kept_write_known(w, side->type, side->mode, text, NULL);
    else
        kept_write_type(w, side->type, side->mode);
    reply_end_map(&w->header);
}

static void write_entry(struct kept_writer *w, const char *name, const struct review_item *item,
                        const struct buf *text) {
    struct text_ref bytes = {text->data ? text->data : "", text->len};
    reply_map(&w->header);
    reply_kv_cstring(&w->header, "path", name);
    kept_write_known(w, item->base_theirs.type, item->base_theirs.mode, bytes, NULL);
    reply_end_map(&w->header);
}

static void write_accepted(struct kept_writer *w, const struct accepting *a, size_t i) {
    const struct review_item *item = a->review.items[i];
    bool whole = a->whole[i];
    reply_map(&w->header);
    reply_kv_cstring(&w->header, "action", kept_action_name(KEPT_WRITE));
    kept_write_place(w, "root", "path", item->root, item->path);
    if (!whole && strcmp(item->path, item->base_path) != 0)
        kept_write_place(w, "from_root", "from", item->base_root, item->base_path);
    write_review_side(w, "was", whole ? &item->now : &item->base, whole ? NULL : &a->bases[i]);
    write_review_side(w, "is", &item->now, NULL);
    bool apart = a->of_some && review_knows_file(&item->base) && review_knows_file(&item->now);
    if (!whole || apart) {
        reply_key(&w->header, "entries");
        reply_list(&w->header);
        write_entry(w, "theirs", item, whole ? &item->now.bytes : &a->theirs[i]);
        if (apart)
            write_entry(w, "without", item, &a->without[i]);
        reply_end_list(&w->header);
    }
    reply_end_map(&w->header);
}

int prepare_changes_accept(struct call *c, struct plan *p) {
    struct accepting *a = p->held;
    struct kept_writer w;
    if (a->n == 0)
        return AQFS_OK;
    int code = commit_lock(c->work.ws, &c->work.budget, &c->work.error);
    if (code)
        return code;
    kept_write_start(&w, &c->work, ACCEPT_OPERATION,
                     (struct text_ref){p->summary.data, p->summary.len});
    for (size_t i = 0; i < a->review.n; i++)
        if (a->some[i])
            write_accepted(&w, a, i);
    code = kept_write_end(&w, c->work.ws, a->id, &c->work.error);
    commit_unlock(c->work.ws);
    return code;
}

void report_changes_accept(struct call *c, const struct plan *p) {
    const struct accepting *a = p->held;
    reply_kv_cstring(&c->reply, KEY_ID, a->n > 0 ? a->id : NULL);
    reply_kv_int(&c->reply, KEY_TOTAL, (int64_t)a->n);
    buf_str(&c->text, "Accepted changes of ");
    buf_count(&c->text, (int64_t)a->n, "file", "files");
    buf_char(&c->text, '\n');
}
