/* slice.c -- the part of a listing that one reply shows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "slice.h"

#include "cleanup.h"

struct slice slice_take(const struct call *c, const struct listing *l, size_t limit) {
    size_t offset = (size_t)call_int(c, "offset");
    size_t from = offset < l->n ? offset : l->n;
    return (struct slice){from, l->n - from < limit ? l->n : from + limit};
}

/* Writes the entries that fit into one reply, and ends SLICE behind them. */
static void write_entries(struct call *c, const struct listing *l, struct slice *slice) {
    size_t most = (size_t)c->work.ws->limits.reply_bytes;
    reply_key(&c->reply, KEY_ENTRIES);
    reply_list(&c->reply);
    for (size_t i = slice->from; i < slice->to; i++) {
        if (c->reply.out.len >= most)
            slice->to = i;
        else
            listing_write_entry(c, l, l->refs[i]);
    }
    reply_end_list(&c->reply);
}

int slice_write(struct call *c, const struct listing *l, struct slice *slice) {
    AUTO(buf_free) struct buf path = {0};
    int code = walk_stat(c->work.ws, &l->place, l->refs + slice->from, slice->to - slice->from,
                         &c->work.budget, &c->work.error);
    if (code)
        return code;
    place_show(c->work.ws, l->place.root, l->place.path, l->place.len, &path);
    reply_kv_path(&c->reply, KEY_PATH, path.data, path.len);
    write_entries(c, l, slice);
    reply_kv_int(&c->reply, KEY_TOTAL, (int64_t)l->n);
    reply_kv_int(&c->reply, KEY_OFFSET, (int64_t)slice->from);
    reply_kv_bool(&c->reply, KEY_TRUNCATED, slice->to < l->n || l->walk.cut);
    return AQFS_OK;
}

void slice_text_path(struct call *c, struct walk_ref ref) {
    char path[WALK_PATH_MAX];
    path_show_safe(&c->text, path, walk_path(ref.dir, ref.entry, path));
}

void slice_text_end(struct call *c, const struct listing *l, struct slice slice) {
    if (l->n == 0)
        buf_str(&c->text, "The directory is empty\n");
    else if (slice.from == l->n)
        buf_printf(&c->text, "No entries from offset %zu: there are %zu\n", slice.from, l->n);
    if (slice.to < l->n)
        listing_text_rest(c, (int64_t)slice.to, (int64_t)l->n);
    listing_write_gaps(c, &l->walk);
}
