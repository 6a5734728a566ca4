/* listing.c -- what list_directory, list_dir and directory_tree share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "listing.h"
#include "call.h"

#include "cleanup.h"

#include <string.h>

int listing_compile(struct call *c, const struct value *globs, struct glob_set *set) {
    AUTO_FREE const char **patterns = calloc(globs->count + 1, sizeof *patterns);
    AUTO_FREE size_t *lengths = calloc(globs->count + 1, sizeof *lengths);
    if (!patterns || !lengths)
        return fail_memory(&c->work.error);
    for (size_t i = 0; i < globs->count; i++) {
        patterns[i] = globs->list[i].data;
        lengths[i] = globs->list[i].len;
    }
    return glob_set_compile(set, patterns, lengths, globs->count, &c->work.error);
}

static int compile_excludes(struct call *c, struct glob_set *set) {
    const struct value *v = call_arg(c, "exclude_patterns");
    static const char *const standard[] = {".git"};
    static const size_t standard_length[] = {4};
    return v ? listing_compile(c, v, set)
             : glob_set_compile(set, standard, standard_length, 1, &c->work.error);
}

/* Ignore rules count unless the call says otherwise, or says that nothing is to be left out. */
static bool heeds_ignore_rules(const struct call *c) {
    const struct value *ignored = call_arg(c, "ignored");
    const struct value *exclude = call_arg(c, "exclude_patterns");
    return ignored && !ignored->boolean && !(exclude->given && exclude->count == 0);
}

/* A walk begins again, at most this many times, if the directory was replaced by another before the
 * walk could open it. */
#define WALK_ROUNDS 16

static int walk_from(struct call *c, struct text_ref path, const struct walk_options *options,
                     struct listing *listing) {
    struct node node;
    int code = workspace_open_path(c->work.ws, path, OPEN_DIRECTORY, &listing->place, &node,
                                   &c->work.error);
    if (code)
        return code;
    node_close(&node); /* opened only to fail with the right error; the walk opens it itself */
    walk_free(&listing->walk);
    return walk_run(c->work.ws, &listing->place, options, &c->work.budget, &listing->walk,
                    &c->work.error);
}

/* Fails if the directory itself could not be read: an empty listing would say that it is empty. */
static int check_start_readable(struct call *c, struct text_ref path,
                                const struct listing *listing) {
    const struct walk_dir *start = listing->walk.start;
    char label[PATH_LABEL];
    if (!start->error || start->n > 0)
        return AQFS_OK;
    return fail(&c->work.error, (enum code)start->error,
                "Path '%s' changed, or could not be read, while it was listed",
                path_label(path.data, path.len, label));
}

int listing_open(struct call *c, struct walk_options *options, struct listing *listing) {
    return listing_open_at(c, call_text(c, "path"), options, listing);
}

int listing_open_at(struct call *c, struct text_ref path, struct walk_options *options,
                    struct listing *listing) {
    AUTO(glob_set_free) struct glob_set exclude = {0};
    int code = compile_excludes(c, &exclude);
    if (code)
        return code;
    options->exclude = &exclude;
    options->ignores = heeds_ignore_rules(c);
    options->progress = c->work.progress;
    options->progress_data = c->work.progress_data;
    bool again = true;
    for (int round = 0; again && round < WALK_ROUNDS; round++) {
        code = walk_from(c, path, options, listing);
        again = !code && check_start_readable(c, path, listing);
    }
    options->exclude = NULL; /* freed when this function returns */
    return code ? code : check_start_readable(c, path, listing);
}

void listing_free(struct listing *listing) {
    walk_free(&listing->walk);
    free(listing->refs);
}

/* Allocates `refs` for all entries of the walk. */
static int take_room(struct listing *l) {
    l->room = (size_t)(l->walk.files + l->walk.directories + l->walk.others);
    l->refs = calloc(l->room + 1, sizeof *l->refs);
    return l->refs ? AQFS_OK : AQFS_LIMIT;
}

static int take_ref(void *data, struct walk_ref ref) {
    struct listing *l = data;
    if (l->n < l->room)
        l->refs[l->n++] = ref;
    return AQFS_OK;
}

int listing_order_deep(struct call *c, struct listing *l) {
    if (take_room(l))
        return fail_memory(&c->work.error);
    return walk_each(&l->walk, take_ref, l);
}

static void take_listed_dir(struct listing *l, struct walk_dir *dir) {
    for (size_t i = 0; i < dir->n; i++)
        take_ref(l, (struct walk_ref){dir, &dir->entries[i]});
}

/* The list of refs is also the queue of directories whose entries are still to be added. */
int listing_order_broad(struct call *c, struct listing *l) {
    if (take_room(l))
        return fail_memory(&c->work.error);
    take_listed_dir(l, l->walk.start);
    for (size_t i = 0; i < l->n; i++) {
        const struct walk_entry *entry = l->refs[i].entry;
        if (entry && entry->dir)
            take_listed_dir(l, entry->dir);
    }
    return AQFS_OK;
}

void listing_show_path(const struct call *c, const struct listing *l, struct walk_ref ref,
                       struct buf *out) {
    char path[PATH_BYTES_MAX + WALK_PATH_MAX + 2];
    size_t n = l->place.len;
    memcpy(path, l->place.path, n);
    if (n > 0)
        path[n++] = '/';
    n += walk_path(ref.dir, ref.entry, path + n);
    place_show(c->work.ws, l->place.root, path, n, out);
}

bool listing_link_text(const struct call *c, const struct listing *l, struct walk_ref ref,
                       struct buf *out) {
    char full[PATH_BYTES_MAX + 1];
    struct node node;
    struct error e;
    if (!walk_full_path(&l->place, ref.dir, full) ||
        c->work.ws->backend->open(c->work.ws, l->place.root, full, OPEN_DIRECTORY, &node, &e))
        return false;
    bool read = !c->work.ws->backend->readlink_below(&node, ref.entry->name, out, &e);
    node_close(&node);
    return read;
}

static void write_target(struct call *c, const struct listing *l, struct walk_ref ref) {
    AUTO(buf_free) struct buf target = {0};
    if (listing_link_text(c, l, ref, &target))
        reply_kv_path(&c->reply, KEY_TARGET, target.data, target.len);
}

void listing_write_entry(struct call *c, const struct listing *l, struct walk_ref ref) {
    const struct walk_entry *entry = ref.entry;
    AUTO(buf_free) struct buf path = {0};
    listing_show_path(c, l, ref, &path);
    reply_map(&c->reply);
    reply_kv_path(&c->reply, KEY_NAME, entry->name, entry->name_len);
    reply_kv_path(&c->reply, KEY_PATH, path.data, path.len);
    reply_kv_keyword(&c->reply, KEY_TYPE, node_type_name(entry->type));
    reply_key(&c->reply, KEY_SIZE);
    if (entry->type == NODE_FILE && entry->size >= 0)
        reply_kv_int(&c->reply, NULL, entry->size);
    else
        reply_null(&c->reply);
    reply_kv_time(&c->reply, KEY_MODIFIED, entry->modified_ns);
    if (entry->type == NODE_SYMLINK)
        write_target(c, l, ref);
    reply_end_map(&c->reply);
}

void listing_text_rest(struct call *c, int64_t shown_to, int64_t total) {
    buf_printf(&c->text,
               "[truncated: %lld of %lld entries shown; continue with offset=%lld, or narrow the "
               "path]\n",
               (long long)shown_to, (long long)total, (long long)shown_to);
}

void listing_write_gaps(struct call *c, const struct walk *w) {
    listing_write_all_gaps(c, w, 0);
}

void listing_write_all_gaps(struct call *c, const struct walk *w, int64_t files) {
    if (w->unreadable + files > 0)
        reply_kv_int(&c->reply, KEY_UNREADABLE, w->unreadable + files);
    if (w->unreadable > 0) {
        buf_char(&c->text, '[');
        buf_count(&c->text, w->unreadable, "directory", "directories");
        buf_str(&c->text, " could not be read]\n");
    }
    if (w->cut) {
        reply_kv_bool(&c->reply, KEY_CUT, true);
        buf_str(&c->text, "[the tree is larger or deeper than one call may look at]\n");
    }
}

void listing_write_ignored(struct call *c, const struct walk *w, bool found) {
    if (w->ignored > 0) {
        reply_kv_int(&c->reply, KEY_IGNORED, w->ignored);
        buf_char(&c->text, '[');
        buf_count(&c->text, w->ignored, "ignored entry", "ignored entries");
        buf_str(&c->text, found ? " left out]\n" : " left out; ignored=true looks at them, too]\n");
    }
    if (w->rules_dropped)
        buf_str(&c->text, "[the ignore rules took too much work: some of them were not heeded]\n");
}

void listing_text_size(struct buf *out, int64_t size) {
    static const char units[] = "KMGTPE";
    if (size < 1000) {
        buf_printf(out, "%lld", (long long)size);
        return;
    }
    double scaled = (double)size / 1024;
    size_t unit = 0;
    for (; scaled >= 999.5 && unit + 2 < sizeof units; unit++)
        scaled /= 1024;
    buf_printf(out, scaled < 9.95 ? "%.1f%c" : "%.0f%c", scaled, units[unit]);
}
