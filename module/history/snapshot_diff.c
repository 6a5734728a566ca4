/* snapshot_diff.c -- snapshot_diff.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "history_ops.h"
#include "plan_diff.h"
#include "secret_read.h"
#include "snapshot_shown.h"
#include "unseen.h"

#include <string.h>

/* The reply lists this many files; the others are only counted. */
#define FILES_SHOWN 2000

/* Whether change I is of a directory, and the next change lies below it: then that one is enough.
 */
static bool is_shown_below(const struct item_changes *changes, size_t i) {
    const struct item_change *change = &changes->all[i];
    const struct item_change *next = i + 1 < changes->n ? &changes->all[i + 1] : NULL;
    bool is_directory =
        change->before.kind == ITEM_DIRECTORY || change->after.kind == ITEM_DIRECTORY;
    return is_directory && next && path_is_below(next->path, next->len, change->path, change->len);
}

static int say_unshown(struct call *c, struct plan *p, const char *kind, const struct place *at) {
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, at->root, at->path, at->len, &path);
    buf_printf(&p->diff, "%s file ", kind);
    path_show_git(&p->diff, path.data ? path.data : "", path.len);
    buf_str(&p->diff, " differs, and its lines are not shown\n");
    return path.failed || p->diff.failed ? fail_memory(&c->work.error) : AQFS_OK;
}

static int add_diff(struct call *c, struct plan *p, const struct item_change *item,
                    struct change *draft) {
    snapshot_place(c, item, &draft->at);
    bool is_file = item->before.kind == ITEM_FILE || item->after.kind == ITEM_FILE;
    bool was_secret = item->before.secret || item->after.secret;
    if (is_file && (call_hides_contents(c, &draft->at) || (was_secret && call_spares_secrets(c))))
        return say_unshown(c, p, "Secret", &draft->at);
    /* Its other names, which might have been secret, are not known any more. */
    if (item->before.kind == ITEM_FILE && call_hides_lost(c, &draft->at))
        return say_unshown(c, p, "Deleted", &draft->at);
    snapshot_modes(&item->before, &item->after, draft);
    draft->fetch = snapshot_fetch;
    if (!draft->old_mode && !draft->new_mode) /* a directory */
        return AQFS_OK;
    return plan_diff(&c->work, p, draft);
}

static int reply_item(struct call *c, struct plan *p, const struct item_changes *changes,
                      const struct item_change *item, bool named) {
    const struct item *some = item->after.kind ? &item->after : &item->before;
    const char *action = snapshot_action(&item->before, &item->after);
    AUTO_FREE struct change *draft = calloc(1, sizeof *draft);
    if (!draft)
        return fail_memory(&c->work.error);
    const struct shown_item shown = {changes, &item->before, &item->after};
    draft->fetched_for = &shown;
    int code = add_diff(c, p, item, draft);
    if (code || !named)
        return code;
    reply_map(&c->reply);
    reply_kv_path(&c->reply, KEY_PATH, item->path, item->len);
    reply_kv_keyword(&c->reply, KEY_ACTION, action);
    reply_kv_keyword(&c->reply, KEY_TYPE, snapshot_type(some));
    reply_kv_int(&c->reply, KEY_ADDED, draft->added);
    reply_kv_int(&c->reply, KEY_REMOVED, draft->removed);
    reply_end_map(&c->reply);
    buf_printf(&c->text, "%s ", action);
    path_show_safe(&c->text, item->path, item->len);
    buf_char(&c->text, '\n');
    return AQFS_OK;
}

static int reply_items(struct call *c, const struct item_changes *changes) {
    AUTO(plan_free) struct plan p = {0};
    int64_t total = 0;
    int code = AQFS_OK;
    reply_key(&c->reply, KEY_FILES);
    reply_list(&c->reply);
    for (size_t i = 0; !code && i < changes->n; i++) {
        if (is_shown_below(changes, i))
            continue;
        code = reply_item(c, &p, changes, &changes->all[i], total++ < FILES_SHOWN);
    }
    if (code)
        return code;
    reply_end_list(&c->reply);
    reply_kv_int(&c->reply, KEY_TOTAL, total);
    reply_kv_bool(&c->reply, KEY_TRUNCATED, total > FILES_SHOWN);
    reply_kv_string(&c->reply, KEY_DIFF, p.diff.data ? p.diff.data : "", p.diff.len);
    if (total == 0)
        buf_str(&c->text, "Nothing differs\n");
    buf_add(&c->text, p.diff.data ? p.diff.data : "", p.diff.len);
    struct unseen_note unseen = {0};
    unseen_note_text(&unseen, "the diff", 1, p.diff.data ? p.diff.data : "", p.diff.len);
    unseen_note_end(&unseen, &c->text);
    return p.diff.failed ? fail_memory(&c->work.error) : AQFS_OK;
}

int op_snapshot_diff(struct call *c) {
    const struct value *other = call_arg(c, "other");
    char from[SNAPSHOT_ID], to[SNAPSHOT_ID];
    AUTO(item_changes_free) struct item_changes changes = {0};
    int code = snapshot_id(c, "id", call_text(c, "id"), from);
    if (!code && other->known)
        code = snapshot_id(c, "other", other->text, to);
    const char *second = other->known ? to : NULL;
    code = code ? code : snapshot_keeper(c)->compare(&c->work, from, second, &changes);
    if (code)
        return code;
    snapshot_hide(c, &changes);
    reply_kv_cstring(&c->reply, KEY_ID, from);
    reply_kv_cstring(&c->reply, KEY_OTHER, second);
    return reply_items(c, &changes);
}
