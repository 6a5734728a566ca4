/* list_directory.c -- list_directory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "listing.h"
#include "ops.h"
#include "slice.h"

#include <string.h>

static int compare_refs_by_path(const void *a, const void *b) {
    const struct walk_ref *x = a, *y = b;
    int order = strcmp(x->dir->path, y->dir->path);
    return order ? order : strcmp(x->entry->name, y->entry->name);
}

/* The size of a directory says nothing about what is in it, so directories come last. */
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

/* Adds the time to the words, to the minute.  It is cut out of what reply_kv_time prints, because
 * gmtime_r reads the environment. */
static void text_time(struct call *c, int64_t ns) {
    static const char key[] = ":t \"";
    const size_t date = sizeof "2026-11-18" - 1, time = sizeof "11:40" - 1;
    struct reply r = {.format = AQFS_SEXP};
    reply_kv_time(&r, KEY_T, ns);
    const char *text = r.out.failed ? "" : r.out.data + sizeof key - 1;
    if (ns == TIME_UNKNOWN || r.out.failed)
        buf_printf(&c->text, "%-16s", "-");
    else
        buf_printf(&c->text, "%.*s %.*s", (int)date, text, (int)time, text + date + 1);
    buf_free(&r.out);
}

/* "@ -> target", of a link. */
static void text_link(struct call *c, const struct listing *l, struct walk_ref ref) {
    AUTO(buf_free) struct buf target = {0};
    buf_char(&c->text, '@');
    if (!listing_link_text(c, l, ref, &target))
        return;
    buf_str(&c->text, " -> ");
    path_show_safe(&c->text, target.data, target.len);
}

/* "2026-11-18 11:40   1.2K  name" */
static void text_line(struct call *c, const struct listing *l, struct walk_ref ref) {
    const struct walk_entry *entry = ref.entry;
    AUTO(buf_free) struct buf size = {0};
    if (entry->type == NODE_FILE && entry->size >= 0)
        listing_text_size(&size, entry->size);
    text_time(c, entry->modified_ns);
    buf_printf(&c->text, " %6s  ", size.len ? size.data : "-");
    slice_text_path(c, ref);
    if (entry->type == NODE_SYMLINK)
        text_link(c, l, ref);
    buf_str(&c->text, entry->type == NODE_DIRECTORY ? "/\n" : "\n");
}

/* The argument `limit`, or the workspace's limit if none was given.  The row's default is the
 * default of that limit, for clients to see. */
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
    struct slice slice = slice_take(c, &l, directory_limit(c));
    code = slice_write(c, &l, &slice);
    if (code)
        return code;
    for (size_t i = slice.from; i < slice.to; i++)
        text_line(c, &l, l.refs[i]);
    slice_text_end(c, &l, slice);
    return AQFS_OK;
}
