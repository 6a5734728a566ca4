/* snapshot_shown.c -- what the operations on snapshots share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "snapshot_shown.h"

#include "cleanup.h"
#include "clock.h"
#include "node.h"
#include "time_show.h"

#include <string.h>
#include <sys/stat.h>

#define MS_PER_DAY (INT64_C(24) * 60 * 60 * 1000)

const struct keeper *snapshot_keeper(const struct call *c) {
    return c->work.ws->keeper;
}

void snapshot_place(const struct call *c, const struct item_change *item, struct place *out) {
    *out = (struct place){.root = &c->work.ws->roots[0], .len = item->len};
    memcpy(out->path, item->path, item->len + 1);
}

/* -- showing a snapshot ------------------------------------------------------------------------ */

/* The member KEY: PATH, or null. */
static void reply_where(struct call *c, const char *key, const char *path) {
    if (path)
        reply_kv_path(&c->reply, key, path, strlen(path));
    else
        reply_kv_cstring(&c->reply, key, NULL);
}

void snapshot_reply(struct call *c, const struct snapshot *s) {
    reply_kv_cstring(&c->reply, KEY_ID, s->id);
    reply_kv_time(&c->reply, KEY_CREATED_AT, s->created_ms * NS_PER_MS);
    reply_kv_keyword(&c->reply, KEY_ORIGIN, origin_names[s->origin]);
    reply_kv_cstring(&c->reply, KEY_COMMIT_REF, s->commit_ref);
    reply_where(c, KEY_ROOT_PATH, s->root_path);
    reply_where(c, KEY_GIT_DIR, s->git_dir);
    reply_where(c, KEY_TAG, s->tag);
}

void add_snapshot_line(struct buf *out, const struct snapshot *s) {
    char when[TIME_SHOWN];
    time_show(s->created_ms * NS_PER_MS, when);
    buf_printf(out, "%s  %s", s->id, when);
    if (s->tag) {
        buf_str(out, "  ");
        path_show_safe(out, s->tag, strlen(s->tag));
    }
    buf_char(out, '\n');
}

int64_t days_ago_ms(int64_t days) {
    return clock_wall_ns() / NS_PER_MS - days * MS_PER_DAY;
}

int snapshot_take(struct call *c, struct text_ref tag, struct item_changes *compared,
                  const char *spared, struct snapshot *out, struct snapshot_report *report) {
    const struct limits *limits = &c->work.ws->limits;
    const struct keeper *keeper = snapshot_keeper(c);
    size_t forgotten;
    int code = keeper->take(&c->work, tag, compared, out, report);
    if (code)
        return code;
    /* The snapshot exists even if pruning fails; pruning is tried again with the next snapshot. */
    const struct error before = c->work.error;
    struct retention keep = {.newest = limits->snapshots,
                             .since_ms = days_ago_ms(limits->snapshot_days),
                             .bytes = limits->snapshot_bytes,
                             .spared = spared,
                             .origin = c->work.origin};
    if (keeper->prune(&c->work, &keep, &forgotten))
        c->work.error = before;
    return AQFS_OK;
}

int snapshot_id(struct call *c, const char *name, struct text_ref text, char out[SNAPSHOT_ID]) {
    if (!text.data || !snapshot_is_id(text.data, text.len))
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "%s: expected the id of a snapshot, as snapshot_list shows it", name);
    memcpy(out, text.data, text.len);
    out[text.len] = '\0';
    return AQFS_OK;
}

void snapshot_hide(const struct call *c, struct item_changes *changes) {
    const struct aqfs_workspace *ws = c->work.ws;
    size_t n = 0;
    for (size_t i = 0; i < changes->n; i++) {
        const struct item_change *change = &changes->all[i];
        if (!workspace_hides(ws, &ws->roots[0], change->path, change->len))
            changes->all[n++] = *change;
    }
    changes->n = n;
}

/* -- bytes ------------------------------------------------------------------------------------- */

static int read_link_now(struct work *work, const char *path, struct buf *out) {
    AUTO(parent_close) struct parent parent = {0};
    int code = parent_open(work->ws, &work->ws->roots[0], path, &parent, &work->error);
    return code ? code
                : parent.node.backend->readlink_below(&parent.node, parent.name, out, &work->error);
}

static int read_file_now(struct work *work, const char *path, struct buf *out) {
    AUTO(node_close) struct node node = {0};
    int code = work->ws->backend->open(work->ws, &work->ws->roots[0], path, OPEN_FILE, &node,
                                       &work->error);
    if (code)
        return code;
    if (!buf_reserve(out, (size_t)node.info.size + 1))
        return fail_memory(&work->error);
    ssize_t n = node.backend->read(&node, out->data + out->len, (size_t)node.info.size, 0);
    if (n < 0)
        return fail_errno(&work->error, (int)-n, "read");
    out->len += (size_t)n;
    return AQFS_OK;
}

int snapshot_fetch(struct work *work, const struct change *change, enum side side,
                   struct buf *out) {
    const struct shown_item *shown = change->fetched_for;
    const struct item *item = side == SIDE_OLD ? shown->old : shown->new;
    if (!item->info)
        return work->ws->keeper->read(work, shown->changes, item, out);
    return item->kind == ITEM_LINK ? read_link_now(work, change->at.path, out)
                                   : read_file_now(work, change->at.path, out);
}

/* -- modes ------------------------------------------------------------------------------------- */

static uint32_t plain_mode(const struct item *item) {
    if (item->kind == ITEM_LINK)
        return S_IFLNK;
    if (item->kind == ITEM_FILE)
        return S_IFREG | (item->mode & 0100 ? 0755U : 0644U);
    return 0;
}

void snapshot_modes(const struct item *old, const struct item *new, struct change *out) {
    out->old_mode = plain_mode(old);
    out->new_mode = plain_mode(new);
    if (old->kind == ITEM_FILE && new->kind == ITEM_FILE && out->old_mode == out->new_mode) {
        out->old_mode = S_IFREG | old->mode;
        out->new_mode = S_IFREG | new->mode;
    }
}

const char *snapshot_action(const struct item *old, const struct item *new) {
    if (old->kind == ITEM_NONE)
        return "added";
    return new->kind == ITEM_NONE ? "deleted" : "modified";
}

const char *snapshot_type(const struct item *item) {
    static const char *const names[] = {"none", "file", "symlink", "directory"};
    return names[item->kind];
}
