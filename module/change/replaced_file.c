/* replaced_file.c -- one file of replace_in_files: see replaced_file.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "replaced_file.h"

#include "cleanup.h"
#include "replace.h"
#include "secret.h"
#include "textfile.h"

#include <string.h>

int replacing_open(struct work *work, struct text_ref pattern, struct text_ref with, bool regex,
                   struct replacing *out) {
    struct error *e = &work->error;
    out->pattern = pattern;
    out->with = with;
    out->unifies = !text_has_cr(out->pattern) && !text_has_cr(out->with);
    if (out->pattern.len == 0)
        return fail(e, AQFS_INVALID_ARGUMENT, "pattern: expected the text to replace, got \"\"");
    int code = textfile_check(work, out->with);
    if (!code && !regex && text_ref_equal(out->pattern, out->with))
        code = fail(e, AQFS_INVALID_ARGUMENT,
                    "pattern and replacement are the same: there is nothing to change");
    if (code || !regex)
        return code;
    const struct regex_options options = {0};
    code = regex_compile(out->pattern.data, out->pattern.len, &options, &out->regex, e);
    if (!code && regex_wants_newline(out->regex)) {
        (void)fail(e, AQFS_INVALID_ARGUMENT,
                   "pattern: it is matched against each line alone, so it cannot have a newline");
        error_hint(e, "leave regex out to replace an exact text of several lines");
        return AQFS_INVALID_ARGUMENT;
    }
    return code ? code
                : regex_replacement_compile(out->pattern.data, out->pattern.len, out->with.data,
                                            out->with.len, &out->replacement, e);
}

void replacing_free(struct replacing *r) {
    regex_free(r->regex);
    regex_replacement_free(r->replacement);
}

/* -- one text ---------------------------------------------------------------------------------- */

static int replace_exact(struct work *work, const struct replacing *r, const struct textfile *file,
                         struct buf *out, size_t *count) {
    AUTO(buf_free) struct buf old = {0}, new = {0};
    AUTO(replaced_free) struct replaced made = {0};
    int code = textfile_accept(work, file, r->pattern, &old);
    code = code ? code : textfile_accept(work, file, r->with, &new);
    if (code || file->text.len < old.len ||
        !memmem(file->text.data, file->text.len, old.data, old.len))
        return code;
    const struct edit edit = {.old_str = {old.data, old.len},
                              .new_str = {new.data ? new.data : "", new.len},
                              .all = true,
                              .budget = &work->budget};
    code = replace_apply((struct text_ref){file->text.data, file->text.len}, &edit, 1, &made,
                         &work->error);
    *count = made.count;
    *out = made.text;
    made.text = (struct buf){0}; // cppcheck-suppress unreadVariable ; freed when it ends
    return code;
}

static int replace_matching_lines(struct work *work, const struct replacing *r,
                                  struct regex_scan *scan, struct text_ref text, struct buf *out,
                                  size_t *count) {
    struct regex_match m;
    size_t done = 0;
    int code = AQFS_OK;
    regex_scan_start(scan, text.data, text.len, 0);
    while (!code && regex_scan_next(scan, &m)) {
        buf_add(out, text.data + done, m.line - done);
        code = regex_replacement_apply(r->replacement, text.data + m.line, m.line_end - m.line, out,
                                       count, &work->error);
        done = m.line_end;
    }
    if (code)
        return code;
    code = regex_scan_code(scan);
    if (code)
        return code == AQFS_IO ? fail_memory(&work->error) : fail_budget(&work->error, code);
    if (regex_scan_undecided(scan) > 0)
        return fail(&work->error, AQFS_LIMIT, "a line is too complex for the pattern");
    buf_add(out, text.data + done, text.len - done);
    return out->failed ? fail_memory(&work->error) : AQFS_OK;
}

static int replace_matches_of(struct work *work, const struct replacing *r,
                              const struct textfile *file, struct buf *out, size_t *count) {
    const struct text_ref text = {file->text.data ? file->text.data : "", file->text.len};
    struct regex_scan *scan = regex_scan_new(r->regex, &work->budget);
    if (!scan)
        return fail_memory(&work->error);
    int code = replace_matching_lines(work, r, scan, text, out, count);
    regex_scan_free(scan);
    return code;
}

static int replace_text(struct work *work, const struct replacing *r, struct replaced_file *file) {
    AUTO(textfile_free) struct textfile text = {0};
    AUTO(buf_free) struct buf out = {0};
    int code = textfile_load(work, file->source, &text);
    if (code == AQFS_BINARY || code == AQFS_ENCODING) {
        file->why = code == AQFS_BINARY ? WAS_BINARY : WAS_UNREADABLE;
        return AQFS_OK;
    }
    if (!code && r->unifies && !textfile_unify(&text))
        code = fail_memory(&work->error);
    code = code       ? code
           : r->regex ? replace_matches_of(work, r, &text, &out, &file->count)
                      : replace_exact(work, r, &text, &out, &file->count);
    if (code || file->count == 0)
        return code;
    if ((int64_t)out.len > work->ws->limits.write_bytes)
        return fail(&work->error, AQFS_TOO_LARGE, "it would become a file of %zu bytes", out.len);
    return textfile_store(work, &text, &out, file->source);
}

/* -- one file ---------------------------------------------------------------------------------- */

/* A file that is too large to be edited is passed over and counted.  One that cannot be read is
 * not: all files are changed or none, so that has to be left out by name. */
static bool is_passed_over(int code) {
    return code == AQFS_TOO_LARGE;
}

/* The error of a file says which one it is. */
static int name_file(struct work *work, const struct change *source, int code) {
    AUTO(buf_free) struct buf path = {0};
    const struct error why = work->error;
    if (!code || code == AQFS_CANCELLED)
        return code;
    place_show(work->ws, source->at.root, source->at.path, source->at.len, &path);
    char label[PATH_LABEL];
    (void)fail(&work->error, why.code, "%s: %.600s",
               path_label(path.data ? path.data : "", path.len, label), why.message);
    error_hint(&work->error, "%s",
               why.hint[0] ? why.hint : "no file was changed; exclude_patterns can leave it out");
    return code;
}

int replace_in_file(struct work *work, const struct replacing *r, struct replaced_file *file) {
    struct change *source = file->source;
    int code = budget_check(&work->budget);
    if (code)
        return fail_budget(&work->error, code);
    code = plan_read(work, source);
    if (is_passed_over(code)) {
        file->why = WAS_UNREADABLE;
        work->error = (struct error){0};
        return AQFS_OK;
    }
    if (!code && r->spares_secrets && secret_twins_have(work->ws, &source->seen))
        file->why = WAS_SECRET;
    else if (!code)
        code = replace_text(work, r, file);
    if (file->count == 0)
        buf_free(&source->old_bytes);
    return name_file(work, source, code);
}
