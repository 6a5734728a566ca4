/* changes_diff.c -- changes_diff.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "review.h"
#include "review_ops.h"
#include "secret_read.h"
#include "unseen.h"

#include <string.h>

static void add_shown(struct call *c, const struct root *root, const char *path, struct buf *out) {
    place_show(c->work.ws, root, path, strlen(path), out);
    c->reply.out.failed = c->reply.out.failed || out->failed;
}

static void reply_hunk(struct call *c, const struct review_hunk *hunk) {
    reply_map(&c->reply);
    reply_kv_cstring(&c->reply, KEY_ID, hunk->id);
    reply_kv_int(&c->reply, KEY_LINE, (int64_t)hunk->line);
    reply_kv_int(&c->reply, KEY_LINES, (int64_t)hunk->count);
    reply_kv_int(&c->reply, KEY_ADDED, (int64_t)hunk->added);
    reply_kv_int(&c->reply, KEY_REMOVED, (int64_t)hunk->removed);
    reply_kv_bool(&c->reply, KEY_MIXED, hunk->mixed);
    reply_kv_string(&c->reply, KEY_DIFF, hunk->text.data ? hunk->text.data : "", hunk->text.len);
    reply_end_map(&c->reply);
}

/* A line that says what no hunk shows. */
static void describe_item(const struct review_item *item, struct buf *out) {
    bool is_made = item->base.type == NODE_MISSING, is_gone = item->now.type == NODE_MISSING;
    const struct review_side *side = is_gone ? &item->base : &item->now;
    buf_str(out, is_made ? "added" : is_gone ? "deleted" : review_action(item));
    if (side->type != NODE_FILE)
        buf_printf(out, " %s", node_type_name(side->type));
    else if (item->binary)
        buf_str(out, " binary file");
    if (side->type == NODE_SYMLINK && side->known) {
        buf_str(out, " to ");
        path_show_safe(out, review_text(side).data, side->bytes.len);
    }
    if (!is_made && !is_gone && item->base.mode != item->now.mode)
        buf_printf(out, ", mode %03o became %03o", item->base.mode, item->now.mode);
    if (!item->base.known && (item->base.type == NODE_FILE || item->base.type == NODE_SYMLINK))
        buf_str(out, ", and what was there before is not kept (any more)");
    if (item->unread)
        buf_str(out, ", and it cannot be read: it is restricted, or another user's");
    else if (item->mixed)
        buf_str(out, ", and somebody else has changed it since");
}

static bool hides_place(struct call *c, const struct root *root, const char *path) {
    struct place place = {.root = root, .len = strlen(path)};
    memcpy(place.path, path, place.len + 1);
    return call_hides_contents(c, &place);
}

/* How many hunks the caller is shown: none of a secret. */
static size_t hunks_shown(struct call *c, const struct review_item *item, struct buf *words) {
    if (item->hunk_n == 0)
        return 0;
    if (hides_place(c, item->root, item->path) || hides_place(c, item->base_root, item->base_path))
        buf_str(words, "; a secret, whose lines are not shown");
    else if ((c->authority != TIER_DANGEROUS || c->work.ws->rules.any_deny) &&
             review_item_is_veiled(c, item))
        buf_str(words, "; it was secret or had other names, and its lines are not shown");
    else
        return item->hunk_n;
    return 0;
}

/* The hunks are shown as they are, so what they may hide is told behind them. */
static void add_item_text(struct call *c, const struct review_item *item, const struct buf *path,
                          const struct buf *words, size_t hunks) {
    AUTO(buf_free) struct buf where = {0}, diff = {0};
    struct unseen_note unseen = {0};
    path_show_safe(&c->text, path->data ? path->data : "", path->len);
    buf_printf(&c->text, ": %s\n", words->data ? words->data : "");
    for (size_t i = 0; i < hunks; i++)
        buf_add(&diff, item->hunks[i].text.data, item->hunks[i].text.len);
    if (!diff.data)
        return;
    buf_str(&where, "the diff of ");
    path_show_safe(&where, path->data ? path->data : "", path->len);
    buf_add(&c->text, diff.data, diff.len);
    unseen_note_text(&unseen, where.data, 1, diff.data, diff.len);
    unseen_note_end(&unseen, &c->text);
    c->text.failed = c->text.failed || diff.failed || where.failed;
}

static void reply_review_item(struct call *c, const struct review_item *item) {
    AUTO(buf_free) struct buf path = {0}, from = {0}, words = {0};
    size_t added = 0, removed = 0;
    add_shown(c, item->root, item->path, &path);
    add_shown(c, item->base_root, item->base_path, &from);
    describe_item(item, &words);
    size_t hunks = hunks_shown(c, item, &words);
    for (size_t i = 0; i < hunks; i++) {
        added += item->hunks[i].added;
        removed += item->hunks[i].removed;
    }
    reply_map(&c->reply);
    reply_kv_cstring(&c->reply, KEY_ID, item->id);
    reply_kv_path(&c->reply, KEY_PATH, path.data ? path.data : "", path.len);
    if (strcmp(review_action(item), "moved") == 0)
        reply_kv_path(&c->reply, KEY_FROM, from.data ? from.data : "", from.len);
    reply_kv_keyword(&c->reply, KEY_ACTION, review_action(item));
    reply_kv_keyword(
        &c->reply, KEY_TYPE,
        node_type_name(item->now.type == NODE_MISSING ? item->base.type : item->now.type));
    reply_kv_bool(&c->reply, KEY_WHOLE, review_item_is_whole(item) || hunks == 0);
    reply_kv_bool(&c->reply, KEY_MIXED, item->mixed);
    reply_kv_string(&c->reply, KEY_SUMMARY, words.data ? words.data : "", words.len);
    reply_kv_int(&c->reply, KEY_ADDED, (int64_t)added);
    reply_kv_int(&c->reply, KEY_REMOVED, (int64_t)removed);
    reply_kv_cstring(&c->reply, KEY_CALL, item->call);
    reply_key(&c->reply, KEY_HUNKS);
    reply_list(&c->reply);
    for (size_t i = 0; i < hunks; i++)
        reply_hunk(c, &item->hunks[i]);
    reply_end_list(&c->reply);
    reply_end_map(&c->reply);
    add_item_text(c, item, &path, &words, hunks);
}

int op_changes_diff(struct call *c) {
    AUTO(review_free) struct review r = {0};
    size_t hunks = 0;
    int code = review_run(c, &r);
    if (code)
        return code;
    reply_key(&c->reply, KEY_FILES);
    reply_list(&c->reply);
    for (size_t i = 0; i < r.n; i++) {
        reply_review_item(c, r.items[i]);
        hunks += r.items[i]->hunk_n;
    }
    reply_end_list(&c->reply);
    reply_kv_int(&c->reply, KEY_TOTAL, (int64_t)r.n);
    reply_kv_int(&c->reply, KEY_HUNKS_TOTAL, (int64_t)hunks);
    reply_kv_int(&c->reply, KEY_CALLS, (int64_t)r.calls);
    reply_kv_int(&c->reply, KEY_LOST, (int64_t)r.lost);
    if (r.n == 0)
        buf_str(&c->text, "Nothing differs\n");
    return AQFS_OK;
}
