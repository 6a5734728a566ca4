/* search_files.c -- search_files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "call.h"
#include "cleanup.h"
#include "lines.h"
#include "listing.h"
#include "ops.h"

#include <string.h>

/* The budget is checked once in this many entries. */
#define CHECK_EVERY 1024

struct file_search {
    struct call *call;
    struct listing *listing;
    int64_t limit, found, shown;
    size_t reply_most, text_most;
    struct reply piece; /* for a listener: what it has not been sent yet */
    size_t since_check;
    /* The path of the last entry.  Its first `prefix` bytes, up to the slash, are those of `dir`;
     * `plain` says that these bytes are shown as they are (path_is_plain). */
    struct buf path;
    const struct walk_dir *dir;
    size_t prefix;
    bool plain;
    /* The last paths in the words that are of one directory, and plain. */
    struct {
        const struct walk_dir *dir;
        size_t at; /* where the first one stands */
        size_t n;
    } run;
};

/* A link counts as a file if it leads to one that the caller may use. */
static bool is_found(const struct file_search *s, struct walk_ref ref) {
    const struct listing *l = s->listing;
    return ref.entry->type != NODE_SYMLINK ||
           walk_leads_to(s->call->work.ws, &l->place, &l->walk, ref) == NODE_FILE;
}

/* Whether the entry is shown.  Called by the threads of the walk. */
static bool matches_glob(const void *data, struct walk_ref ref) {
    const struct glob *glob = data;
    char path[WALK_PATH_MAX];
    if (ref.entry->type == NODE_DIRECTORY || ref.entry->type == NODE_OTHER)
        return false;
    if (glob_matches_all(glob))
        return true;
    if (glob_is_basename_only(glob))
        return glob_matches_basename(glob, ref.entry->name, ref.entry->name_len);
    return glob_matches(glob, path, walk_path(ref.dir, ref.entry, path));
}

/* Fails once the budget has ended: by its time, by the caller, or by a listener that wants no more.
 */
static int check_budget(struct file_search *s) {
    s->since_check = 0;
    int code = budget_check(&s->call->work.budget);
    return code ? fail_budget(&s->call->work.error, code) : AQFS_OK;
}

static int emit_paths(struct file_search *s) {
    call_emit_items(s->call, &s->piece.out);
    buf_clear(&s->piece.out);
    s->piece.separate = false;
    return check_budget(s);
}

/* ---- Words: three paths and more of one directory stand below its name, behind a space.
 * (The path of a file whose name begins with a space is quoted.) */

#define GROUP_LEAST 3

static void say_name(struct buf *out, const char *name, size_t n) {
    buf_char(out, ' ');
    buf_add(out, name, n);
}

/* Puts the name of the directory once above the paths of the run. */
static void group_run(struct file_search *s) {
    AUTO(buf_free) struct buf grouped = {0};
    struct buf *text = &s->call->text;
    if (text->failed)
        return;
    buf_add(&grouped, s->path.data, s->prefix);
    buf_char(&grouped, '\n');
    for (const char *line = text->data + s->run.at, *end = text->data + text->len; line < end;) {
        const char *next = text_next_line(line, end);
        say_name(&grouped, line + s->prefix, (size_t)(next - line) - s->prefix);
        line = next;
    }
    text->len = s->run.at;
    buf_add(text, grouped.data, grouped.len);
    text->failed |= grouped.failed;
}

static void say_found_path(struct file_search *s, bool plain) {
    struct buf *text = &s->call->text;
    if (!plain || s->prefix == 0 || s->run.dir != s->dir) {
        s->run.dir = plain ? s->dir : NULL;
        s->run.at = text->len;
        s->run.n = 0;
    }
    s->run.n += s->prefix > 0;
    if (s->run.n > GROUP_LEAST)
        say_name(text, s->path.data + s->prefix, s->path.len - s->prefix);
    else
        (plain ? buf_add : path_show_safe)(text, s->path.data, s->path.len);
    buf_char(text, '\n');
    if (s->run.n == GROUP_LEAST)
        group_run(s);
}

static int show_found_path(struct file_search *s, bool plain) {
    struct call *c = s->call;
    struct reply *data = call_streams(c) ? &s->piece : &c->reply;
    s->shown++;
    if (c->text.len <= s->text_most)
        say_found_path(s, plain);
    (plain ? reply_plain : reply_path)(data, s->path.data, s->path.len);
    return s->piece.out.len >= PIECE_BYTES ? emit_paths(s) : AQFS_OK;
}

/* Sets `path` to the entry's path; false without memory.  Entries of one directory follow each
 * other, so the directory's part is spelled once for all of them. */
static bool spell_path(struct file_search *s, struct walk_ref ref) {
    if (ref.dir == s->dir) {
        s->path.len = s->prefix;
        buf_add(&s->path, ref.entry->name, ref.entry->name_len);
    } else {
        buf_clear(&s->path);
        listing_show_path(s->call, s->listing, ref, &s->path);
        s->dir = ref.dir;
        s->prefix = s->path.len - ref.entry->name_len;
        s->plain = path_is_plain(s->path.data, s->prefix);
    }
    return !s->path.failed;
}

static int take_found(void *data, struct walk_ref ref) {
    struct file_search *s = data;
    if (++s->since_check >= CHECK_EVERY) {
        reply_tell(&s->call->reply);
        if (check_budget(s))
            return (int)s->call->work.error.code;
    }
    if (!ref.entry->shown || !is_found(s, ref))
        return AQFS_OK;
    if (!spell_path(s, ref))
        return fail_memory(&s->call->work.error);
    s->found++;
    if (s->shown < s->limit && s->call->reply.out.len < s->reply_most)
        return show_found_path(s, s->plain && ref.entry->plain);
    return AQFS_OK;
}

static int count_file(void *found, struct walk_ref ref) {
    *(int64_t *)found += ref.entry->shown && ref.entry->type == NODE_FILE;
    return AQFS_OK;
}

/* `*.c` names one directory's files only.  If it found nothing, says what `**\/` before it would
 * find. */
static int hint_deeper(struct call *c, struct text_ref pattern) {
    AUTO(buf_free) struct buf deep = {0};
    AUTO(listing_free) struct listing l = {0};
    if (memchr(pattern.data, '/', pattern.len) || memmem(pattern.data, pattern.len, "**", 2))
        return AQFS_OK;
    buf_str(&deep, "**/");
    buf_add(&deep, pattern.data, pattern.len);
    struct glob *glob = deep.failed ? NULL : glob_compile(deep.data, deep.len, &c->work.error);
    if (!glob)
        return deep.failed ? fail_memory(&c->work.error) : (int)c->work.error.code;
    struct walk_options options = {.shows = matches_glob, .shows_data = glob};
    int code = listing_open(c, &options, &l);
    glob_free(glob);
    if (code)
        return code;
    int64_t found = 0;
    walk_each(&l.walk, count_file, &found);
    if (found > 0) {
        buf_count(&c->text, found, "file matches ", "files match ");
        path_show_safe(&c->text, deep.data, deep.len);
        buf_str(&c->text, ": without **/ only the directory itself is searched\n");
        reply_kv_string(&c->reply, KEY_HINT, deep.data, deep.len);
    }
    return AQFS_OK;
}

static int say_no_files(struct call *c) {
    struct text_ref pattern = call_text(c, "pattern");
    const char *mistaken = glob_mistaken_syntax(pattern.data, pattern.len);
    buf_str(&c->text, "No files found that match ");
    path_show_safe(&c->text, pattern.data, pattern.len);
    buf_char(&c->text, '\n');
    if (!mistaken)
        return hint_deeper(c, pattern);
    reply_kv_cstring(&c->reply, KEY_HINT, mistaken);
    buf_printf(&c->text, "%s\n", mistaken);
    return AQFS_OK;
}

static int write_find_results(struct file_search *s) {
    struct call *c = s->call;
    bool truncated = s->shown < s->found || s->listing->walk.cut;
    reply_kv_int(&c->reply, KEY_TOTAL, s->found);
    reply_kv_bool(&c->reply, KEY_TRUNCATED, truncated);
    if (s->shown < s->found)
        buf_printf(&c->text,
                   "[truncated: %lld of %lld files shown; narrow the pattern or raise limit]\n",
                   (long long)s->shown, (long long)s->found);
    listing_write_gaps(c, &s->listing->walk);
    int code = s->found == 0 ? say_no_files(c) : AQFS_OK;
    listing_write_ignored(c, &s->listing->walk, s->found > 0);
    return code;
}

/* Makes room for all paths at once.  A reply of megabytes that grows as they are written is copied
 * several times, and each copy touches new pages. */
static void reserve_paths(const struct file_search *s) {
    const struct listing *l = s->listing;
    const int64_t shown = l->walk.shown < s->limit ? l->walk.shown : s->limit;
    const size_t around = l->place.root->len + l->place.len + sizeof "\"\" //";
    if (shown == 0 || call_streams(s->call))
        return;
    size_t one = (size_t)(l->walk.shown_bytes / l->walk.shown) + around;
    size_t all = one > s->reply_most / (size_t)shown ? s->reply_most : one * (size_t)shown;
    (void)buf_reserve(&s->call->reply.out, all);
}

static int write_found_paths(struct call *c, struct listing *l) {
    struct file_search s = {.call = c,
                            .listing = l,
                            .limit = call_int(c, "limit"),
                            .reply_most = (size_t)c->work.ws->limits.reply_bytes,
                            .text_most = (size_t)c->work.ws->limits.text_bytes,
                            .piece = {.format = c->reply.format}};
    reply_key(&c->reply, KEY_PATHS);
    reply_list(&c->reply);
    reserve_paths(&s);
    int code = walk_each(&l->walk, take_found, &s);
    code = code ? code : emit_paths(&s);
    buf_free(&s.piece.out);
    buf_free(&s.path);
    reply_end_list(&c->reply);
    return code ? code : write_find_results(&s);
}

int op_search_files(struct call *c) {
    AUTO(listing_free) struct listing l = {0};
    struct text_ref pattern = call_text(c, "pattern");
    struct glob *glob = glob_compile(pattern.data, pattern.len, &c->work.error);
    if (!glob)
        return (int)c->work.error.code;
    struct walk_options options = {.order = WALK_BY_PATH,
                                   .max_depth = (int64_t)glob_depth(glob),
                                   .shown_only = true,
                                   .link_texts = true,
                                   .shows = matches_glob,
                                   .shows_data = glob};
    int code = listing_open(c, &options, &l);
    glob_free(glob);
    return code ? code : write_found_paths(c, &l);
}
