/* apply_patch.c -- apply_patch, apply_patch_json and apply_patch_freeform.
 *
 * The plan reads every file and patches it in memory; the commit then writes all
 * of them or none.  A rename becomes a write under the new name and a deletion of
 * the old one, so that files may also swap names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "balance.h"
#include "call.h"
#include "cleanup.h"
#include "offer.h"
#include "ops.h"
#include "patch_section.h"
#include "textfile.h"

#include <stdlib.h>
#include <string.h>

/* Files are read by several threads, this many at a time; then they are planned in order. */
#define READ_AT_ONCE 256

/* A file that gets new bytes. */
struct written {
    const struct change *change;
    const struct patch_file *file; /* its section of the patch */
};

struct session {
    struct call *call;
    struct plan *plan;
    const struct patch *patch;
    struct written *written; /* has room for every file of the patch */
    size_t written_count;
    struct error unbalanced; /* of the first text that was corrected; without a code none was */
};

/* -- the changes of one section ---------------------------------------------------------------- */

static enum source_mode mode_of(const struct patch_file *file) {
    if (file->new_mode == 0 || file->new_mode == file->old_mode)
        return MODE_KEPT;
    return file->new_mode & 0100 ? MODE_EXECUTABLE : MODE_PLAIN;
}

/* Does some section write a file at PATH?  Then the deletion there is left to that write. */
static bool is_filled_again(const struct session *s, const char *path) {
    for (size_t i = 0; i < s->patch->file_count; i++) {
        const char *new_path = s->patch->files[i].new_path;
        if (new_path && path && strcmp(new_path, path) == 0)
            return true;
    }
    return false;
}

/* Does some section delete or rename the file at PATH? */
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
    struct change *change;
    int code =
        plan_add_at(&s->call->work, s->plan, CHANGE_DELETE, &source->at, &source->seen, &change);
    if (code)
        return code;
    change->is_half = is_half;
    memcpy(change->held, plan_held(source), sizeof change->held);
    return AQFS_OK;
}

/* A file that another section takes away may be in the new place; any other must not. */
static int check_new_place(struct session *s, const struct patch_file *file,
                           const struct change *change) {
    if (change->seen.type == NODE_MISSING || file->action == PATCH_MODIFY)
        return AQFS_OK;
    if (is_taken_away(s, file->new_path))
        return AQFS_OK;
    return patch_fail_path(s->call, AQFS_EXISTS, file->new_path, "exists already");
}

/* Moves the bytes that were patched from SOURCE to CHANGE.  Reading the file again could give other
 * bytes, and the change would then claim to replace bytes that were not patched. */
static void take_read(struct change *change, struct change *source) {
    change->was_read = source->was_read;
    change->old_bytes = source->old_bytes;
    source->old_bytes = (struct buf){0};
}

/* *AT and *SEEN become the place that gets the new bytes and what is there. */
static int find_result(struct session *s, const struct patch_file *file,
                       const struct change *source, struct place *at, struct info *seen) {
    if (file->action == PATCH_MODIFY) {
        *at = source->at;
        *seen = source->seen;
        return AQFS_OK;
    }
    const unsigned flags = LOCATE_MISSING | LOCATE_LINK;
    int code = patch_locate_path(s->call, file->new_path, flags, at, seen);
    code = code ? code : patch_remember_path(s->call, s->plan, file->new_path, flags, at);
    return code ? code : plan_parents(&s->call->work, s->plan, at, true);
}

/* A text that would lose its balance is corrected, if that is known: take_corrected decides whether
 * the call does that. */
static int correct_result(struct session *s, const struct change *source,
                          const struct patch_file *file, struct change *change) {
    const bool renamed = file->action != PATCH_MODIFY && file->old_path;
    bool corrected = false;
    int code = balance_correct(s->call, change, renamed ? &source->old_bytes : NULL,
                               s->patch->file_count == 1, &corrected);
    if (!corrected || code != AQFS_UNBALANCED)
        return code;
    if (!s->unbalanced.code)
        s->unbalanced = s->call->work.error;
    s->call->work.error = (struct error){0};
    return AQFS_OK;
}

static int plan_result(struct session *s, struct patch_section *section) {
    const struct patch_file *file = section->file;
    struct change *source = section->source;
    struct place at = {0};
    struct info seen = {0};
    int code = find_result(s, file, source, &at, &seen);
    struct change *change;
    code = code ? code : plan_add_at(&s->call->work, s->plan, CHANGE_WRITE, &at, &seen, &change);
    if (code)
        return code;
    change->edits = true;
    change->mode = mode_of(file);
    change->is_new = file->action == PATCH_ADD;
    change->is_copy = file->action == PATCH_COPY;
    change->added = (int64_t)section->added;
    change->removed = (int64_t)section->removed;
    code = check_new_place(s, file, change);
    s->written[s->written_count++] = (struct written){change, file};
    if (!code && file->action == PATCH_MODIFY)
        take_read(change, source);
    else if (!code && seen.type == NODE_FILE)
        code = plan_read(&s->call->work, change);
    if (!code && file->action != PATCH_MODIFY && file->old_path) {
        change->from = source->at; /* the new file gets the permissions of this one */
        change->seen_from = source->seen;
        buf_add(&change->old_text, source->old_bytes.data, source->old_bytes.len);
    }
    code = code ? code : plan_set_bytes(&s->call->work, change, &section->bytes);
    return code ? code : correct_result(s, source, file, change);
}

static int plan_section(struct session *s, struct patch_section *section) {
    const struct patch_file *file = section->file;
    if (section->code)
        s->call->work.error = section->error;
    int code = section->code;
    if (!code && file->old_path)
        code = patch_remember_path(s->call, s->plan, file->old_path, patch_old_flags(file),
                                   &section->source->at);
    if (!code && file->new_path)
        code = plan_result(s, section);
    bool leaves = file->action == PATCH_DELETE || file->action == PATCH_RENAME;
    if (!code && leaves && !is_filled_again(s, file->old_path))
        code = plan_deletion(s, section->source, file->action == PATCH_RENAME);
    if (!code && file->action == PATCH_DELETE && s->plan->n > 0)
        s->plan->changes[s->plan->n - 1]->removed = (int64_t)section->removed;
    return code;
}

static void hint_section(struct session *s, const struct patch_file *file) {
    AUTO(buf_free) struct buf where = {0};
    const char *path = patch_path(file);
    path_show_safe(&where, path, strlen(path));
    if (!s->call->work.error.hint[0])
        error_hint(&s->call->work.error,
                   "In the patch's section for %s, line %zu; no file was changed",
                   where.data ? where.data : "?", file->line);
}

/* -- checks across sections -------------------------------------------------------------------- */

/* Orders paths as strcmp does, but with `/` before every other byte.  So the paths below a
 * directory follow the directory's own path at once, and comparing neighbours finds all overlaps.
 */
static int compare_paths(const char *a, const char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    int x = *a == '/' ? 1 : *a ? (unsigned char)*a + 1 : 0;
    int y = *b == '/' ? 1 : *b ? (unsigned char)*b + 1 : 0;
    return x - y;
}

static int compare_written_by_path(const void *x, const void *y) {
    const struct written *a = x, *b = y;
    const struct place *here = &a->change->at, *there = &b->change->at;
    if (here->root != there->root)
        return here->root < there->root ? -1 : 1;
    int order = compare_paths(here->path, there->path);
    return order ? order : (a->file > b->file) - (a->file < b->file);
}

/* Two sections may spell one file differently; the second write would undo the first.  And a file
 * cannot be inside of another file that the patch writes. */
static int check_once(struct session *s) {
    if (s->written_count > 1)
        qsort(s->written, s->written_count, sizeof *s->written, compare_written_by_path);
    for (size_t i = 1; i < s->written_count; i++) {
        const struct written *w = &s->written[i];
        const struct place *at = &w->change->at, *before = &s->written[i - 1].change->at;
        if (at->root != before->root ||
            !path_is_below(at->path, at->len, before->path, before->len))
            continue;
        int code =
            at->len == before->len
                ? patch_fail_path(s->call, AQFS_PATCH_APPLY, w->file->new_path,
                                  "is patched twice, under two names")
                : patch_fail_path(s->call, AQFS_PATCH_APPLY, w->file->new_path,
                                  "or what is above it would be both a file and a directory");
        hint_section(s, w->file);
        return code;
    }
    return AQFS_OK;
}

static int plan_batch(struct session *s, const struct patch_file *files, size_t n) {
    AUTO_FREE struct patch_section *sections = calloc(n, sizeof *sections);
    if (!sections)
        return fail_memory(&s->call->work.error);
    for (size_t i = 0; i < n; i++)
        sections[i].file = &files[i];
    patch_read_sections(s->call, s->patch, sections, n);
    int code = AQFS_OK;
    for (size_t i = 0; i < n; i++) {
        if (!code && (code = plan_section(s, &sections[i])))
            hint_section(s, &files[i]);
        patch_section_free(&sections[i]);
    }
    return code;
}

/* -- the call ---------------------------------------------------------------------------------- */

/* The argument `version` says of the only file of PATCH what its author has read. */
static int check_version_fits(struct call *c, const struct patch *patch) {
    if (!call_arg(c, "version")->known || (patch->file_count == 1 && patch->files[0].old_path))
        return AQFS_OK;
    return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                "version: expected with a patch of one file that exists, not %s",
                patch->file_count == 1 ? "with a new file" : "of several");
}

/* The patch of the call, or the one whose offer it accepts, which is copied to KEPT. */
static int take_patch(struct call *c, enum patch_format format, struct buf *kept,
                      struct offered_patch *out) {
    if (!call_arg(c, "patch")->known)
        return offer_take_patch(c, kept, out);
    *out =
        (struct offered_patch){call_text(c, "patch"), (int)format, call_arg(c, "version")->known};
    if ((int64_t)out->text.len > c->work.ws->limits.patch_bytes)
        return fail(&c->work.error, AQFS_TOO_LARGE, "patch: expected at most %lld bytes, got %zu",
                    (long long)c->work.ws->limits.patch_bytes, out->text.len);
    return textfile_check(&c->work, out->text);
}

/* All is planned, maybe with texts that were corrected.  That is done if the call accepts it, and
 * else offered. */
static int take_corrected(struct session *s, const struct offered_patch *given) {
    struct call *c = s->call;
    if (call_arg(c, "accept")->known)
        return offer_check_patch(c, s->plan);
    if (!s->unbalanced.code)
        return AQFS_OK;
    int code = offer_make_patch(c, AQFS_UNBALANCED, s->plan, given);
    if (code)
        return code;
    c->work.error = s->unbalanced;
    return AQFS_UNBALANCED;
}

static int plan_sections(struct session *s) {
    int code = AQFS_OK;
    for (size_t from = 0; !code && from < s->patch->file_count; from += READ_AT_ONCE) {
        size_t left = s->patch->file_count - from;
        code = plan_batch(s, s->patch->files + from, left < READ_AT_ONCE ? left : READ_AT_ONCE);
    }
    return code ? code : check_once(s);
}

static int plan_patch(struct call *c, struct plan *p, enum patch_format format) {
    AUTO(buf_free) struct buf kept = {0};
    AUTO(patch_free) struct patch patch = {0};
    struct offered_patch given = {0};
    int code = take_patch(c, format, &kept, &given);
    code = code ? code
                : patch_read(given.text.data, given.text.len, (enum patch_format)given.format,
                             &patch, &c->work.error);
    code = code ? code : check_version_fits(c, &patch);
    patch.placed = given.placed;
    AUTO_FREE struct written *written = code ? NULL : calloc(patch.file_count, sizeof *written);
    struct session s = {.call = c, .plan = p, .patch = &patch, .written = written};
    if (!code && !written)
        code = fail_memory(&c->work.error);
    code = code ? code : plan_sections(&s);
    return code ? code : take_corrected(&s, &given);
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

static void report_file(struct call *c, struct change *change, size_t files) {
    AUTO(buf_free) struct buf path = {0}, from = {0};
    place_show(c->work.ws, change->at.root, change->at.path, change->at.len, &path);
    reply_map(&c->reply);
    reply_kv_path(&c->reply, KEY_PATH, path.data, path.len);
    reply_kv_keyword(&c->reply, KEY_ACTION, action_of(change));
    if (change->from.root) {
        place_show(c->work.ws, change->from.root, change->from.path, change->from.len, &from);
        reply_kv_path(&c->reply, KEY_FROM, from.data, from.len);
    }
    reply_kv_int(&c->reply, KEY_ADDED, change->added);
    reply_kv_int(&c->reply, KEY_REMOVED, change->removed);
    reply_kv_cstring(&c->reply, KEY_VERSION,
                     change->kind == CHANGE_WRITE ? plan_will_hold(change) : NULL);
    reply_kv_int(&c->reply, KEY_BYTES_WRITTEN, (int64_t)change->new_bytes.len);
    reply_end_map(&c->reply);
    buf_printf(&c->text, "%-8s ", action_of(change));
    path_show_safe(&c->text, path.data, path.len);
    buf_printf(&c->text, " (+%lld -%lld)", (long long)change->added, (long long)change->removed);
    say_version(c, change, files);
    buf_char(&c->text, '\n');
}

void report_patch(struct call *c, const struct plan *p) {
    reply_key(&c->reply, KEY_FILES);
    reply_list(&c->reply);
    for (size_t i = 0; i < p->n; i++)
        if (p->changes[i]->kind != CHANGE_MAKE_DIRECTORY && !p->changes[i]->is_half)
            report_file(c, p->changes[i], p->n);
    reply_end_list(&c->reply);
    reply_kv_string(&c->reply, KEY_DIFF, p->diff.data ? p->diff.data : "", p->diff.len);
}
