/* patch_op.c -- apply_patch, and its two names with a fixed format.
 *
 * Every file is read and patched in memory first; then all are written or none.
 * A rename is a write under the new name and a deletion of the old one, so that
 * files may also swap names.
 */
#include "cleanup.h"
#include "encoding.h"
#include "patch_apply.h"
#include "textfile.h"

#include <string.h>

struct session {
    struct call *call;
    struct plan *plan;
    const struct patch *patch;
};

static int fail_file(struct session *s, enum code code, const char *path, const char *problem) {
    char label[PATH_LABEL];
    return fail(&s->call->error, code, "Path '%s' %s", path_label(path, strlen(path), label),
                problem);
}

/* As plan_locate.  Paths of a patch are bytes: in the form that is shown, no `~/` or quote means
 * anything else. */
static int locate(struct session *s, const char *path, unsigned flags, struct place *at,
                  struct info *seen) {
    AUTO(buf_free) struct buf shown = {0};
    path_show(&shown, path, strlen(path));
    if (shown.failed)
        return fail_memory(&s->call->error);
    return plan_locate(s->call, (struct text_ref){shown.data, shown.len}, flags, at, seen);
}

/* -- reading what a file's section starts from ------------------------------------------------- */

/* A deletion or rename concerns the name, which must then be the file's own. */
static int locate_old(struct session *s, const struct patch_file *file, struct change *source) {
    bool keeps_name = file->action == PATCH_MODIFY || file->action == PATCH_COPY;
    int code = locate(s, file->old_path, keeps_name ? 0 : LOCATE_LINK, &source->at, NULL);
    if (code)
        return code;
    if (source->at.type == NODE_DIRECTORY)
        return fail_file(s, AQFS_IS_DIRECTORY, file->old_path, "is a directory");
    if (source->at.type == NODE_SYMLINK)
        return fail_file(s, AQFS_NOT_REGULAR, file->old_path,
                         "is a symbolic link: only what it leads to can be patched");
    if (source->at.type != NODE_FILE)
        return fail_file(s, AQFS_NOT_REGULAR, file->old_path, "is not a regular file");
    return plan_read(s->call, source);
}

static struct text_ref bytes_of(const struct buf *b) {
    return (struct text_ref){b->data ? b->data : "", b->len};
}

static bool is_ascii(const struct patch_file *file) {
    for (size_t i = 0; i < file->hunk_count; i++) {
        struct patch_line line;
        for (const char *body = file->hunks[i].body;
             patch_next_line(&file->hunks[i], &body, &line);)
            for (size_t k = 0; k < line.n; k++)
                if (line.text[k] & 0x80)
                    return false;
    }
    return true;
}

/* The text of SOURCE, which is no UTF-8; its bytes become the same again. */
static int decode_source(struct session *s, const char *label, struct text_ref bytes,
                         struct encoding *encoding, struct buf *text) {
    struct call *c = s->call;
    int code = encoding_detect(c->ws, label, (struct text_ref){0}, bytes.data, bytes.len, encoding,
                               &c->error);
    if (code || encoding_is_utf8(encoding))
        return code;
    code = encoding_decode(encoding, bytes.data, bytes.len, text, &c->error);
    return code ? code
                : encoding_returns(encoding, bytes.data, bytes.len, bytes_of(text).data, text->len,
                                   &c->error);
}

/* The bytes of SOURCE with the hunks applied, in its own encoding.  Where it is in none, as test
 * data of several encodings, lines of ASCII are still the same bytes. */
static int patch_bytes(struct session *s, const struct patch_file *file,
                       const struct change *source, struct buf *out, struct change *counts) {
    struct call *c = s->call;
    AUTO(patched_free) struct patched patched = {0};
    AUTO(buf_free) struct buf text = {0};
    struct encoding encoding;
    struct text_ref old = bytes_of(&source->old_bytes);
    const char *label = file->old_path ? file->old_path : file->new_path;
    int code = decode_source(s, label, old, &encoding, &text);
    bool plain = !code && encoding_is_utf8(&encoding);
    if (code == AQFS_ENCODING && is_ascii(file)) {
        c->error = (struct error){0};
        code = AQFS_OK;
        plain = true;
    }
    struct text_ref from = plain ? old : bytes_of(&text);
    code = code ? code : patch_apply(s->patch, file, from.data, from.len, &patched, &c->error);
    if (code)
        return code;
    counts->added = (int64_t)patched.added;
    counts->removed = (int64_t)patched.removed;
    if (!plain) {
        struct text_ref done = bytes_of(&patched.text);
        return encoding_encode(&encoding, done.data, done.len, out, &c->error);
    }
    *out = patched.text;
    patched.text = (struct buf){0}; // cppcheck-suppress unreadVariable ; freed when it ends
    return AQFS_OK;
}

/* -- the changes of one section ---------------------------------------------------------------- */

static enum source_mode mode_of(const struct patch_file *file) {
    if (file->new_mode == 0 || file->new_mode == file->old_mode)
        return MODE_KEPT;
    return file->new_mode & 0100 ? MODE_EXECUTABLE : MODE_PLAIN;
}

/* Does another section put something where this one takes something away? */
static bool is_filled_again(const struct session *s, const char *path) {
    for (size_t i = 0; i < s->patch->file_count; i++) {
        const char *new_path = s->patch->files[i].new_path;
        if (new_path && path && strcmp(new_path, path) == 0)
            return true;
    }
    return false;
}

static bool is_taken_away(const struct session *s, const char *path) {
    for (size_t i = 0; i < s->patch->file_count; i++) {
        const struct patch_file *file = &s->patch->files[i];
        bool takes = file->action == PATCH_DELETE || file->action == PATCH_RENAME;
        if (takes && file->old_path && strcmp(file->old_path, path) == 0)
            return true;
    }
    return false;
}

static int plan_deletion(struct session *s, struct change *source, bool is_half) {
    struct change *change = plan_add(s->plan, CHANGE_DELETE);
    if (!change)
        return fail_memory(&s->call->error);
    change->at = source->at;
    change->seen = source->seen;
    change->is_half = is_half;
    memcpy(change->held, plan_held(source), sizeof change->held);
    return AQFS_OK;
}

static int check_new_place(struct session *s, const struct patch_file *file,
                           const struct change *change) {
    if (change->seen.type == NODE_MISSING || file->action == PATCH_MODIFY)
        return AQFS_OK;
    if (is_taken_away(s, file->new_path))
        return AQFS_OK;
    return fail_file(s, AQFS_EXISTS, file->new_path, "exists already");
}

/* Two spellings of one file in a patch would undo each other; and no file lies in a file. */
static int check_once(struct session *s, const struct change *change, const char *path) {
    const struct place *at = &change->at;
    for (size_t i = 0; i < s->plan->n; i++) {
        const struct change *other = s->plan->changes[i];
        const struct place *there = &other->at;
        if (other == change || other->kind != CHANGE_WRITE || there->root != at->root)
            continue;
        if (strcmp(there->path, at->path) == 0)
            return fail_file(s, AQFS_PATCH_APPLY, path, "is patched twice, under two names");
        if (path_is_below(at->path, at->len, there->path, there->len) ||
            path_is_below(there->path, there->len, at->path, at->len))
            return fail_file(s, AQFS_PATCH_APPLY, path,
                             "or what is above it would be both a file and a directory");
    }
    return AQFS_OK;
}

/* What was patched is what is replaced: it is neither looked for nor read again, as if it could not
 * have changed. */
static void take_read(struct change *change, struct change *source) {
    change->read_ns = source->read_ns;
    change->old_bytes = source->old_bytes;
    source->old_bytes = (struct buf){0};
}

static int find_result(struct session *s, const struct patch_file *file,
                       const struct change *source, struct place *at, struct info *seen) {
    if (file->action == PATCH_MODIFY) {
        *at = source->at;
        *seen = source->seen;
        return AQFS_OK;
    }
    int code = locate(s, file->new_path, LOCATE_MISSING | LOCATE_LINK, at, seen);
    return code ? code : plan_parents(s->call, s->plan, at, true);
}

static int plan_result(struct session *s, const struct patch_file *file, struct change *source,
                       struct buf *bytes, const struct change *counts) {
    struct place at = {0};
    struct info seen = {0};
    int code = find_result(s, file, source, &at, &seen);
    struct change *change = code ? NULL : plan_add(s->plan, CHANGE_WRITE);
    if (!change)
        return code ? code : fail_memory(&s->call->error);
    change->at = at;
    change->seen = seen;
    change->edits = true;
    change->mode = mode_of(file);
    change->is_new = file->action == PATCH_ADD;
    change->is_copy = file->action == PATCH_COPY;
    change->added = counts->added;
    change->removed = counts->removed;
    code = check_new_place(s, file, change);
    code = code ? code : check_once(s, change, file->new_path);
    if (!code && file->action == PATCH_MODIFY)
        take_read(change, source);
    else if (!code && seen.type == NODE_FILE)
        code = plan_read(s->call, change);
    if (!code && file->action != PATCH_MODIFY && file->old_path) {
        change->from = source->at; /* whose permissions it takes along */
        change->seen_from = source->seen;
        buf_add(&change->old_text, bytes_of(&source->old_bytes).data, source->old_bytes.len);
    }
    return code ? code : plan_set_bytes(s->call, change, bytes);
}

static int plan_section(struct session *s, const struct patch_file *file) {
    struct change *source = calloc(1, sizeof *source);
    struct change counts = {0};
    AUTO(buf_free) struct buf bytes = {0};
    if (!source)
        return fail_memory(&s->call->error);
    int code = file->old_path ? locate_old(s, file, source) : AQFS_OK;
    code = code ? code : patch_bytes(s, file, source, &bytes, &counts);
    if (!code && file->new_path)
        code = plan_result(s, file, source, &bytes, &counts);
    bool leaves = file->action == PATCH_DELETE || file->action == PATCH_RENAME;
    if (!code && leaves && !is_filled_again(s, file->old_path))
        code = plan_deletion(s, source, file->action == PATCH_RENAME);
    if (!code && file->action == PATCH_DELETE && s->plan->n > 0)
        s->plan->changes[s->plan->n - 1]->removed = counts.removed;
    buf_free(&source->old_bytes);
    free(source);
    return code;
}

static int plan_patch(struct call *c, struct plan *p, enum patch_format format) {
    AUTO(patch_free) struct patch patch = {0};
    struct text_ref text = call_text(c, "patch");
    if ((int64_t)text.len > c->ws->limits.patch_bytes)
        return fail(&c->error, AQFS_TOO_LARGE, "patch: expected at most %lld bytes, got %zu",
                    (long long)c->ws->limits.patch_bytes, text.len);
    int code = textfile_check(c, text);
    code = code ? code : patch_read(text.data, text.len, format, &patch, &c->error);
    struct session s = {.call = c, .plan = p, .patch = &patch};
    for (size_t i = 0; !code && i < patch.file_count; i++) {
        code = budget_check(&c->budget) ? fail_budget(&c->error, budget_check(&c->budget))
                                        : plan_section(&s, &patch.files[i]);
        if (code == AQFS_OK)
            continue;
        AUTO(buf_free) struct buf where = {0};
        const char *path = patch_path(&patch.files[i]);
        path_show_safe(&where, path, strlen(path));
        if (!c->error.hint[0])
            error_hint(&c->error, "In the patch's section for %s, line %zu; no file was changed",
                       where.data ? where.data : "?", patch.files[i].line);
    }
    return code;
}

int plan_apply_patch(struct call *c, struct plan *p) {
    enum patch_format format = call_choice_is(c, "format", "unified")    ? PATCH_UNIFIED
                               : call_choice_is(c, "format", "envelope") ? PATCH_ENVELOPE
                                                                         : PATCH_AUTO;
    return plan_patch(c, p, format);
}

int plan_apply_patch_json(struct call *c, struct plan *p) {
    return plan_patch(c, p, PATCH_UNIFIED);
}

int plan_apply_patch_freeform(struct call *c, struct plan *p) {
    return plan_patch(c, p, PATCH_ENVELOPE);
}

/* -- the report -------------------------------------------------------------------------------- */

static const char *action_of(const struct change *change) {
    if (change->kind == CHANGE_DELETE)
        return "deleted";
    if (change->from.root)
        return change->is_copy ? "copied" : "moved";
    return change->seen.type == NODE_MISSING || change->is_new ? "added" : "modified";
}

static void report_file(struct call *c, const struct change *change) {
    AUTO(buf_free) struct buf path = {0}, from = {0};
    place_show(c->ws, change->at.root, change->at.path, change->at.len, &path);
    reply_map(&c->reply);
    reply_kv_path(&c->reply, "path", path.data, path.len);
    reply_kv_keyword(&c->reply, "action", action_of(change));
    if (change->from.root) {
        place_show(c->ws, change->from.root, change->from.path, change->from.len, &from);
        reply_kv_path(&c->reply, "from", from.data, from.len);
    }
    reply_kv_int(&c->reply, "added", change->added);
    reply_kv_int(&c->reply, "removed", change->removed);
    reply_kv_int(&c->reply, "bytes-written", (int64_t)change->new_bytes.len);
    reply_end_map(&c->reply);
    buf_printf(&c->text, "%-8s ", action_of(change));
    path_show_safe(&c->text, path.data, path.len);
    buf_printf(&c->text, " (+%lld -%lld)\n", (long long)change->added, (long long)change->removed);
}

void report_patch(struct call *c, const struct plan *p) {
    reply_key(&c->reply, "files");
    reply_list(&c->reply);
    for (size_t i = 0; i < p->n; i++)
        if (p->changes[i]->kind != CHANGE_MAKE_DIRECTORY && !p->changes[i]->is_half)
            report_file(c, p->changes[i]);
    reply_end_list(&c->reply);
    reply_kv_string(&c->reply, "diff", p->diff.data ? p->diff.data : "", p->diff.len);
}
