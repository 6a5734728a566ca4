/* plan_diff.c -- a planned change as git would write it in a patch: see plan_diff.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "plan_diff.h"

#include "cleanup.h"
#include "diff.h"
#include "encoding.h"
#include "path.h"
#include "utf8.h"

#include <string.h>

/* A change, and the names in its lines. */
struct section {
    struct work *work;
    struct plan *plan;
    struct change *change;
    struct buf at, from; /* paths, without a/ and b/ */
};

static void section_free(struct section *s) {
    buf_free(&s->at);
    buf_free(&s->from);
}

static struct text_ref ref_of(const struct buf *b) {
    return (struct text_ref){b->data ? b->data : "", b->len};
}

/* -- header lines ------------------------------------------------------------------------------ */

static void add_git_name(struct buf *out, const char *words, const char *prefix,
                         const struct buf *path) {
    AUTO(buf_free) struct buf name = {0};
    buf_str(&name, prefix);
    buf_add(&name, path->data, path->len);
    out->failed = out->failed || name.failed;
    if (name.failed)
        return;
    buf_str(out, words);
    path_show_git(out, name.data, name.len);
}

static void add_path_line(struct buf *out, const char *words, const struct buf *path,
                          const char *rest) {
    add_git_name(out, words, "", path);
    buf_str(out, rest);
}

static void add_git(struct buf *out, const struct buf *old, const struct buf *new) {
    add_git_name(out, "diff --git ", "a/", old);
    add_git_name(out, " ", "b/", new);
    buf_str(out, "\n");
}

static unsigned git_mode(const struct info *info) {
    if (info->type == NODE_SYMLINK)
        return 0120000;
    return info->mode & 0100 ? 0100755 : 0100644;
}

static void add_modes(struct buf *out, unsigned old, unsigned new) {
    if (old != new)
        buf_printf(out, "old mode %06o\nnew mode %06o\n", old, new);
}

static unsigned mode_after(const struct change *change, unsigned before) {
    if (change->mode == MODE_KEPT)
        return before;
    return change->mode == MODE_EXECUTABLE ? 0100755 : 0100644;
}

/* -- contents ---------------------------------------------------------------------------------- */

static bool is_text_to_diff(struct text_ref bytes, bool utf8) {
    return bytes.len == 0 ||
           (!memchr(bytes.data, '\0', bytes.len) && (utf8 || utf8_is_valid(bytes.data, bytes.len)));
}

/* Reads the file AT, whose hash is HELD.  WHOLE is false if it cannot be read, or has no hash. */
static int read_held(struct section *s, const struct place *at, const char *held, struct buf *out,
                     bool *whole) {
    struct work *work = s->work;
    *whole = false;
    if (!held[0])
        return AQFS_OK;
    AUTO_FREE struct change *draft = calloc(1, sizeof *draft);
    if (!draft)
        return fail_memory(&work->error);
    const struct error before = work->error;
    draft->at = *at;
    int code = plan_read(work, draft);
    *out = draft->old_bytes;
    *whole = !code;
    /* The diff must show the bytes that the digest covers. */
    if (!code && strcmp(plan_held(draft), held) != 0)
        return fail(&work->error, AQFS_RACED, "It changed while it was looked at");
    if (code == AQFS_LIMIT || code == AQFS_CANCELLED)
        return code;
    if (code)
        work->error = before;
    return AQFS_OK;
}

/* Replaces bytes in another encoding by their text: a patch consists of text. */
static int decode(struct section *s, struct buf *bytes) {
    struct work *work = s->work;
    AUTO(buf_free) struct buf text = {0};
    struct encoding encoding;
    const struct error before = work->error;
    struct text_ref raw = ref_of(bytes), none = {0};
    int code = encoding_detect(&work->ws->libraries, s->at.data, none, raw.data, raw.len, &encoding,
                               &work->error);
    code = code ? code : encoding_decode(&encoding, raw.data, raw.len, &text, &work->error);
    code = code ? code
                : encoding_returns(&encoding, raw.data, raw.len, ref_of(&text).data, text.len,
                                   &work->error);
    if (code == AQFS_LIMIT)
        return code;
    if (code) { /* not text, so it is shown as binary */
        work->error = before;
        return AQFS_OK;
    }
    buf_free(bytes);
    *bytes = text;
    text = (struct buf){0}; // cppcheck-suppress unreadVariable ; freed when it ends
    return AQFS_OK;
}

static void add_side(struct buf *out, const char *words, const char *prefix, const struct buf *path,
                     size_t bytes) {
    if (!path) {
        buf_printf(out, "%s/dev/null", words);
        return;
    }
    add_git_name(out, words, prefix, path);
    buf_printf(out, " (%zu bytes)", bytes);
}

/* Adds a line for bytes that are not shown.  apply_patch refuses it, and names what it cannot do.
 */
static void add_opaque(struct section *s, const char *kind, const struct buf *old, size_t old_n,
                       const struct buf *new, size_t new_n) {
    struct buf *out = &s->plan->diff;
    add_side(out, kind, "a/", old, old_n);
    add_side(out, " and ", "b/", new, new_n);
    buf_str(out, " differ\n");
}

static int add_hunks(struct section *s, const struct buf *old_name, struct text_ref old,
                     const struct buf *new_name, struct text_ref new) {
    struct work *work = s->work;
    struct buf *out = &s->plan->diff;
    if (!is_text_to_diff(old, s->change->utf8) || !is_text_to_diff(new, s->change->utf8)) {
        add_opaque(s, "Binary files ", old_name, old.len, new_name, new.len);
        return AQFS_OK;
    }
    if (old.len == 0 && new.len == 0) /* git names no sides where there are no hunks */
        return AQFS_OK;
    struct diff_side before = {old, old_name ? ref_of(old_name) : (struct text_ref){0}};
    struct diff_side after = {new, new_name ? ref_of(new_name) : (struct text_ref){0}};
    struct diff_stats stats = {0};
    size_t most = (size_t)work->ws->limits.text_bytes;
    size_t left = out->len < most ? most - out->len : 0;
    int code = diff_unified(&work->ws->libraries, &before, &after, left, out, &stats, &work->error);
    s->change->added = (int64_t)stats.added;
    s->change->removed = (int64_t)stats.removed;
    return code;
}

/* -- kinds of changes -------------------------------------------------------------------------- */

static int diff_rename(struct section *s) {
    struct buf *out = &s->plan->diff;
    const struct change *change = s->change;
    const char *what = change->is_copy || change->kind == CHANGE_COPY ? "copy" : "rename";
    unsigned mode = git_mode(&change->seen_from);
    add_git(out, &s->from, &s->at);
    add_modes(out, mode, mode_after(change, mode));
    buf_str(out, what);
    add_path_line(out, " from ", &s->from, "\n");
    buf_str(out, what);
    add_path_line(out, " to ", &s->at, "\n");
    if (change->kind != CHANGE_WRITE)
        return AQFS_OK;
    struct text_ref old = ref_of(&change->old_text), new = ref_of(&change->new_bytes);
    if (old.len == new.len && memcmp(old.data, new.data, old.len) == 0)
        return AQFS_OK;
    return add_hunks(s, &s->from, old, &s->at, new);
}

static int diff_new(struct section *s) {
    struct change *change = s->change;
    add_git(&s->plan->diff, &s->at, &s->at);
    buf_printf(&s->plan->diff, "new file mode %06o\n", mode_after(change, 0100644));
    return add_hunks(s, NULL, (struct text_ref){0}, &s->at, ref_of(&change->new_bytes));
}

static int diff_write(struct section *s) {
    struct change *change = s->change;
    if (change->from.root)
        return diff_rename(s);
    if (change->seen.type == NODE_MISSING || change->is_new)
        return diff_new(s);
    bool decoded = change->old_text.data || change->new_text.data;
    struct text_ref old = ref_of(decoded ? &change->old_text : &change->old_bytes);
    struct text_ref new = ref_of(decoded ? &change->new_text : &change->new_bytes);
    unsigned mode = git_mode(&change->seen);
    bool same = old.len == new.len &&memcmp(old.data, new.data, old.len) == 0;
    if (same) /* a patch may restate lines */
        change->added = change->removed = 0;
    if (same && mode_after(change, mode) == mode)
        return AQFS_OK;
    add_git(&s->plan->diff, &s->at, &s->at);
    add_modes(&s->plan->diff, mode, mode_after(change, mode));
    return same ? AQFS_OK : add_hunks(s, &s->at, old, &s->at, new);
}

/* The deletion of the file at PLACE. */
static int diff_gone(struct section *s, const struct place *place, const struct info *info,
                     const char *held, const struct buf *name) {
    struct buf *out = &s->plan->diff;
    AUTO(buf_free) struct buf bytes = {0};
    bool whole = false;
    if (info->type != NODE_FILE && info->type != NODE_SYMLINK) {
        add_path_line(out, "Special file ", name, " deleted\n");
        return AQFS_OK;
    }
    add_git(out, name, name);
    buf_printf(out, "deleted file mode %06o\n", git_mode(info));
    if (info->type == NODE_SYMLINK)
        return AQFS_OK;
    int code = read_held(s, place, held, &bytes, &whole);
    if (!code && !whole)
        add_opaque(s, "Files ", name, (size_t)info->size, NULL, 0);
    if (!code && whole && !is_text_to_diff(ref_of(&bytes), false))
        code = decode(s, &bytes);
    if (code || !whole)
        return code;
    return add_hunks(s, name, ref_of(&bytes), NULL, (struct text_ref){0});
}

static int diff_delete(struct section *s) {
    const struct change *change = s->change;
    if (change->is_half)
        return AQFS_OK;
    if (!change->is_tree)
        return diff_gone(s, &change->at, &change->seen, change->held, &s->at);
    add_path_line(&s->plan->diff, "Directory ", &s->at, "");
    buf_str(&s->plan->diff, " deleted, with ");
    buf_count(&s->plan->diff, change->entries, "entry below it\n", "entries below it\n");
    return AQFS_OK;
}

/* A move or copy onto another file is shown as a change of that file, because a reader wants to see
 * what is lost. */
static int diff_replaced(struct section *s) {
    struct change *change = s->change;
    struct buf *out = &s->plan->diff;
    AUTO(buf_free) struct buf old = {0}, new = {0};
    bool has_old = false, has_new = false;
    int code = read_held(s, &change->at, change->held, &old, &has_old);
    code = code ? code : read_held(s, &change->from, change->will_hold, &new, &has_new);
    if (code)
        return code;
    add_git(out, &s->at, &s->at);
    if (change->kind == CHANGE_MOVE) /* a copy leaves the mode that is there */
        add_modes(out, git_mode(&change->seen), git_mode(&change->seen_from));
    if (has_old && has_new)
        return add_hunks(s, &s->at, ref_of(&old), &s->at, ref_of(&new));
    add_opaque(s, "Files ", &s->at, (size_t)change->seen.size, &s->at,
               (size_t)change->seen_from.size);
    return AQFS_OK;
}

static int diff_move(struct section *s) {
    struct change *change = s->change;
    if (change->seen_from.type == NODE_DIRECTORY) {
        add_path_line(&s->plan->diff, "Directory ", &s->from, " renamed to ");
        add_path_line(&s->plan->diff, "", &s->at, "\n");
        return AQFS_OK;
    }
    if (change->seen.type == NODE_MISSING)
        return diff_rename(s);
    int code = AQFS_OK;
    if (change->kind == CHANGE_MOVE)
        code = diff_gone(s, &change->from, &change->seen_from, change->will_hold, &s->from);
    if (!code && change->seen.type == NODE_FILE && change->seen_from.type == NODE_FILE)
        return diff_replaced(s);
    if (!code)
        add_path_line(&s->plan->diff, "Special file ", &s->at, " replaced\n");
    return code;
}

/* Fetches one side of a change, as text if it can be decoded. */
static int fetch_side(struct section *s, enum side side, struct buf *out) {
    const struct change *change = s->change;
    uint32_t mode = side == SIDE_OLD ? change->old_mode : change->new_mode;
    buf_str(out, "");
    if (!mode)
        return AQFS_OK;
    int code = change->fetch(s->work, change, side, out);
    if (!code && !is_text_to_diff(ref_of(out), false))
        code = decode(s, out);
    return code;
}

static void add_mode_lines(struct section *s) {
    const struct change *change = s->change;
    struct buf *out = &s->plan->diff;
    add_git(out, &s->at, &s->at);
    if (!change->old_mode)
        buf_printf(out, "new file mode %06o\n", change->new_mode);
    else if (!change->new_mode)
        buf_printf(out, "deleted file mode %06o\n", change->old_mode);
    else
        add_modes(out, change->old_mode, change->new_mode);
}

static int diff_fetched(struct section *s) {
    const struct change *change = s->change;
    AUTO(buf_free) struct buf old = {0}, new = {0};
    add_mode_lines(s);
    if (s->plan->diff.len >= (size_t)s->work->ws->limits.text_bytes) {
        add_path_line(&s->plan->diff, "[the lines of ", &s->at, " are not shown]\n");
        return AQFS_OK;
    }
    int code = fetch_side(s, SIDE_OLD, &old);
    code = code ? code : fetch_side(s, SIDE_NEW, &new);
    if (code || (old.len == new.len &&memcmp(old.data, new.data, old.len) == 0))
        return code;
    return add_hunks(s, change->old_mode ? &s->at : NULL, ref_of(&old),
                     change->new_mode ? &s->at : NULL, ref_of(&new));
}

int plan_diff(struct work *work, struct plan *p, struct change *change) {
    AUTO(section_free) struct section s = {.work = work, .plan = p, .change = change};
    place_show(work->ws, change->at.root, change->at.path, change->at.len, &s.at);
    if (change->from.root)
        place_show(work->ws, change->from.root, change->from.path, change->from.len, &s.from);
    if (s.at.failed || s.from.failed || change->old_bytes.failed || change->new_bytes.failed ||
        change->old_text.failed || change->new_text.failed)
        return fail_memory(&work->error);
    if (change->fetch)
        return diff_fetched(&s);
    switch (change->kind) {
    case CHANGE_WRITE:
        return diff_write(&s);
    case CHANGE_COPY:
    case CHANGE_MOVE:
        return diff_move(&s);
    case CHANGE_DELETE:
        return diff_delete(&s);
    case CHANGE_READ:
        break;
    case CHANGE_MAKE_DIRECTORY:
        /* A patch cannot express directories, and makes those that its files need. */
        if (plan_is_target(p, change))
            add_path_line(&p->diff, "New directory ", &s.at, "\n");
        break;
    }
    return AQFS_OK;
}
