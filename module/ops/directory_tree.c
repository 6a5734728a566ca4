/* directory_tree.c -- directory_tree.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "listing.h"
#include "ops.h"

#include <string.h>

/* If more entries than this may be shown, the walk reads all sizes, by all its threads.  Otherwise
 * sizes are read after the walk, and only of the entries that are shown. */
#define STAT_AFTERWARDS 4000

/* Marks the entries to show.  Of a tree that is larger than the limit those are the top levels,
 * which give an overview. */
static int choose_shown(struct call *c, struct listing *l, bool stat_done) {
    size_t limit = (size_t)call_int(c, "limit");
    int code = listing_order_broad(c, l);
    if (code)
        return code;
    size_t shown = limit > 0 && limit < l->n ? limit : l->n;
    for (size_t i = 0; i < shown; i++)
        l->refs[i].entry->shown = true;
    return stat_done
               ? AQFS_OK
               : walk_stat(c->work.ws, &l->place, l->refs, shown, &c->work.budget, &c->work.error);
}

static void indent(struct buf *text, uint32_t depth) {
    for (uint32_t i = 0; i < depth; i++)
        buf_str(text, "  ");
}

static void text_entry(struct call *c, const struct walk_entry *entry, uint32_t depth) {
    indent(&c->text, depth);
    path_show_safe(&c->text, entry->name, entry->name_len);
    if (entry->type == NODE_DIRECTORY) {
        buf_char(&c->text, '/');
    } else if (entry->type == NODE_SYMLINK) {
        buf_char(&c->text, '@');
    } else if (entry->type == NODE_FILE && entry->size >= 0) {
        buf_str(&c->text, "  ");
        listing_text_size(&c->text, entry->size);
    }
    buf_char(&c->text, '\n');
}

struct tree_output {
    struct call *call;
    size_t reply_most, text_most;
    bool cut; /* something did not fit */
};

static void write_children(struct tree_output *t, const struct walk_dir *dir);

static void write_tree_entry(struct tree_output *t, const struct walk_dir *dir,
                             const struct walk_entry *entry) {
    struct reply *r = &t->call->reply;
    if (t->call->text.len <= t->text_most)
        text_entry(t->call, entry, dir->depth);
    reply_map(r);
    reply_kv_path(r, KEY_NAME, entry->name, entry->name_len);
    reply_kv_keyword(r, KEY_TYPE, node_type_name(entry->type));
    if (entry->type == NODE_FILE && entry->size >= 0)
        reply_kv_int(r, KEY_SIZE, entry->size);
    if (entry->dir)
        write_children(t, entry->dir);
    reply_end_map(r);
}

/* The recursion is as deep as the walk: limits.walk_depth, 256 at most. */
static void write_children(struct tree_output *t, const struct walk_dir *dir) {
    struct reply *r = &t->call->reply;
    size_t hidden = 0;
    reply_key(r, KEY_CHILDREN);
    reply_list(r);
    for (size_t i = 0; i < dir->n; i++) {
        if (dir->entries[i].shown && r->out.len < t->reply_most)
            write_tree_entry(t, dir, &dir->entries[i]);
        else
            hidden++;
    }
    reply_end_list(r);
    if (hidden == 0)
        return;
    t->cut = true;
    reply_kv_int(r, KEY_MORE, (int64_t)hidden);
    indent(&t->call->text, dir->depth);
    buf_printf(&t->call->text, "[%zu more]\n", hidden);
}

static void write_root(struct tree_output *t, const struct listing *l) {
    struct reply *r = &t->call->reply;
    AUTO(buf_free) struct buf full = {0};
    buf_add(&full, l->place.root->path, l->place.root->len);
    buf_char(&full, '/');
    if (l->place.len > 0)
        buf_add(&full, l->place.path, l->place.len);
    else
        full.len--, full.data[full.len] = '\0';
    const char *name = full.failed ? "" : path_basename(full.data);
    path_show_safe(&t->call->text, name, strlen(name));
    buf_str(&t->call->text, "/\n");
    reply_map(r);
    reply_kv_path(r, KEY_NAME, name, strlen(name));
    reply_kv_keyword(r, KEY_TYPE, "directory");
    write_children(t, l->walk.start);
    reply_end_map(r);
}

static void write_tree(struct call *c, const struct listing *l) {
    struct tree_output t = {.call = c,
                            .reply_most = (size_t)c->work.ws->limits.reply_bytes,
                            .text_most = (size_t)c->work.ws->limits.text_bytes};
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, l->place.root, l->place.path, l->place.len, &path);
    reply_kv_path(&c->reply, KEY_PATH, path.data, path.len);
    reply_key(&c->reply, KEY_TREE);
    write_root(&t, l);
    reply_kv_int(&c->reply, KEY_FILES, l->walk.files + l->walk.others);
    reply_kv_int(&c->reply, KEY_DIRECTORIES, l->walk.directories);
    reply_kv_bool(&c->reply, KEY_TRUNCATED, t.cut || l->walk.cut);
    buf_count(&c->text, l->walk.files + l->walk.others, "file, ", "files, ");
    buf_count(&c->text, l->walk.directories, "directory\n", "directories\n");
    if (t.cut)
        buf_str(&c->text, "[truncated: name a directory below, or give max_depth or limit=0]\n");
    listing_write_gaps(c, &l->walk);
    listing_write_ignored(c, &l->walk, true);
}

int op_directory_tree(struct call *c) {
    AUTO(listing_free) struct listing l = {0};
    int64_t limit = call_int(c, "limit");
    struct walk_options options = {.stat = limit == 0 || limit > STAT_AFTERWARDS,
                                   .max_depth = call_int(c, "max_depth")};
    int code = listing_open(c, &options, &l);
    code = code ? code : choose_shown(c, &l, options.stat);
    if (!code)
        write_tree(c, &l);
    return code;
}
