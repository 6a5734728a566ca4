/* list.c -- list_directory and list_dir.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "listing.h"
#include "ops.h"

#include <string.h>

/* The entries [from, to) of a listing. */
struct slice {
    size_t from, to;
};

static struct slice take_slice(const struct call *c, const struct listing *l, size_t limit) {
    size_t offset = (size_t)call_int(c, "offset");
    size_t from = offset < l->n ? offset : l->n;
    return (struct slice){from, l->n - from < limit ? l->n : from + limit};
}

static int compare_refs_by_path(const void *a, const void *b) {
    const struct walk_ref *x = a, *y = b;
    int order = strcmp(x->dir->path, y->dir->path);
    return order ? order : strcmp(x->entry->name, y->entry->name);
}

/* Directories have no size worth comparing: they come last. */
static int64_t size_key(const struct walk_entry *entry) {
    return entry->type == NODE_FILE ? entry->size : -1;
}

static int by_size(const void *a, const void *b) {
    const struct walk_ref *x = a, *y = b;
    int64_t p = size_key(x->entry), q = size_key(y->entry);
    return p == q ? compare_refs_by_path(a, b) : (q > p) - (q < p);
}

static int compare_refs_by_time(const void *a, const void *b) {
    const struct walk_ref *x = a, *y = b;
    int64_t p = x->entry->modified_ns, q = y->entry->modified_ns;
    return p == q ? compare_refs_by_path(a, b) : (q > p) - (q < p);
}

/* The entries that fit into one reply: SLICE may end earlier. */
static void write_entries(struct call *c, const struct listing *l, struct slice *slice) {
    size_t most = (size_t)c->work.ws->limits.reply_bytes;
    reply_key(&c->reply, "entries");
    reply_list(&c->reply);
    for (size_t i = slice->from; i < slice->to; i++) {
        if (c->reply.out.len >= most)
            slice->to = i;
        else
            listing_write_entry(c, l, l->refs[i]);
    }
    reply_end_list(&c->reply);
}

static int write_listing(struct call *c, const struct listing *l, struct slice *slice) {
    AUTO(buf_free) struct buf path = {0};
    int code = walk_stat(c->work.ws, &l->place, l->refs + slice->from, slice->to - slice->from,
                         &c->work.budget, &c->work.error);
    if (code)
        return code;
    place_show(c->work.ws, l->place.root, l->place.path, l->place.len, &path);
    reply_kv_path(&c->reply, "path", path.data, path.len);
    write_entries(c, l, slice);
    reply_kv_int(&c->reply, "total", (int64_t)l->n);
    reply_kv_int(&c->reply, "offset", (int64_t)slice->from);
    reply_kv_bool(&c->reply, "truncated", slice->to < l->n || l->walk.cut);
    return AQFS_OK;
}

/* Relative to the directory listed. */
static void text_path(struct call *c, struct walk_ref ref) {
    char path[WALK_PATH_MAX];
    path_show_safe(&c->text, path, walk_path(ref.dir, ref.entry, path));
}

static void text_end(struct call *c, const struct listing *l, struct slice slice) {
    if (l->n == 0)
        buf_str(&c->text, "The directory is empty\n");
    else if (slice.from == l->n)
        buf_printf(&c->text, "No entries from offset %zu: there are %zu\n", slice.from, l->n);
    if (slice.to < l->n)
        listing_text_rest(c, (int64_t)slice.to, (int64_t)l->n);
    listing_write_gaps(c, &l->walk);
}

/* As data has it, to the minute.  Not gmtime_r, which reads the environment. */
static void text_time(struct call *c, int64_t ns) {
    static const char key[] = ":t \"";
    const size_t date = sizeof "2026-11-18" - 1, time = sizeof "11:40" - 1;
    struct reply r = {.format = AQFS_SEXP};
    reply_kv_time(&r, "t", ns);
    const char *text = r.out.failed ? "" : r.out.data + sizeof key - 1;
    if (ns == TIME_UNKNOWN || r.out.failed)
        buf_printf(&c->text, "%-16s", "-");
    else
        buf_printf(&c->text, "%.*s %.*s", (int)date, text, (int)time, text + date + 1);
    buf_free(&r.out);
}

/* "2026-11-18 11:40   1.2K  name" */
static void text_line(struct call *c, struct walk_ref ref) {
    const struct walk_entry *entry = ref.entry;
    AUTO(buf_free) struct buf size = {0};
    if (entry->type == NODE_FILE && entry->size >= 0)
        listing_text_size(&size, entry->size);
    text_time(c, entry->modified_ns);
    buf_printf(&c->text, " %6s  ", size.len ? size.data : "-");
    text_path(c, ref);
    buf_str(&c->text, entry->type == NODE_DIRECTORY ? "/\n" : "\n");
}

/* What is not asked for is the workspace's to say; the row tells what it says by default. */
static size_t directory_limit(const struct call *c) {
    const struct value *limit = call_arg(c, "limit");
    return (size_t)(limit->given ? limit->integer : c->work.ws->limits.list_entries);
}

int op_list_directory(struct call *c) {
    AUTO(listing_free) struct listing l = {0};
    bool by_name = call_choice_is(c, "sort_by", "name");
    struct walk_options options = {.hide_dotfiles = !call_bool(c, "show_hidden"),
                                   .stat = !by_name,
                                   .max_depth = call_int(c, "depth")};
    int code = listing_open(c, &options, &l);
    code = code ? code : listing_order_deep(c, &l);
    if (code)
        return code;
    if (!by_name)
        qsort(l.refs, l.n, sizeof *l.refs,
              call_choice_is(c, "sort_by", "size") ? by_size : compare_refs_by_time);
    struct slice slice = take_slice(c, &l, directory_limit(c));
    code = write_listing(c, &l, &slice);
    if (code)
        return code;
    for (size_t i = slice.from; i < slice.to; i++)
        text_line(c, l.refs[i]);
    text_end(c, &l, slice);
    return AQFS_OK;
}

static const char *marker(const struct walk_entry *entry) {
    if (entry->type == NODE_DIRECTORY)
        return "/";
    if (entry->type == NODE_SYMLINK)
        return "@";
    return entry->executable ? "*" : "";
}

int op_list_dir(struct call *c) {
    AUTO(listing_free) struct listing l = {0};
    struct walk_options options = {.max_depth = call_int(c, "depth")};
    int code = listing_open(c, &options, &l);
    code = code ? code : listing_order_broad(c, &l);
    if (code)
        return code;
    struct slice slice = take_slice(c, &l, (size_t)call_int(c, "limit"));
    code = write_listing(c, &l, &slice);
    if (code)
        return code;
    for (size_t i = slice.from; i < slice.to; i++) {
        text_path(c, l.refs[i]);
        buf_printf(&c->text, "%s\n", marker(l.refs[i].entry));
    }
    text_end(c, &l, slice);
    return AQFS_OK;
}
