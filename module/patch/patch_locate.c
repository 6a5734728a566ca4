/* patch_locate.c -- finding the line at which a hunk applies: see patch_locate.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_locate.h"

#include "patch_mistake.h"
#include "patch_read.h"
#include "path.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int locator_open(struct locator *l, const struct patch *patch, const struct patch_file *file,
                 const char *text, size_t n, bool crlf, struct error *e) {
    *l = (struct locator){.patch = patch, .file = file, .error = e};
    int code = lined_open(&l->text, text, n, crlf, e);
    if (code != AQFS_OK || patch->format == PATCH_UNIFIED)
        return code;
    code = finder_open(&l->finder, &l->text, file->hunks, file->hunk_count, e);
    if (code)
        return code;
    return anchors_open(&l->anchors, &l->text, file->hunks, file->hunk_count, e);
}

void locator_close(struct locator *l) {
    anchors_close(&l->anchors);
    finder_close(&l->finder);
    lined_close(&l->text);
}

static const struct patch_hunk *current_hunk(const struct locator *l) {
    return &l->file->hunks[l->hunk];
}

__attribute__((format(printf, 2, 3))) static int refuse_hunk(struct locator *l, const char *format,
                                                             ...) {
    char words[sizeof l->error->message], label[PATH_LABEL];
    const char *path = l->file->old_path ? l->file->old_path : l->file->new_path;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(words, sizeof words, format, args);
    va_end(args);
    return fail(l->error, AQFS_PATCH_APPLY, "%s: hunk %zu, line %zu of the patch: %s",
                path_label(path, strlen(path), label), l->hunk + 1, current_hunk(l)->line, words);
}

/* Compares the hunk's old lines with the text's lines from AT.  False when old line number `old`
 * differs, which is then LINE.  With ENDINGS the final newline must agree, too. */
static bool compare_hunk(const struct locator *l, size_t at, bool endings, size_t *old,
                         struct patch_line *line) {
    const struct patch_hunk *h = current_hunk(l);
    *old = 0;
    for (const char *body = h->body; patch_next_line(h, &body, line);) {
        if (line->op == '+')
            continue;
        if (at + *old >= l->text.count || !lined_equals(&l->text, at + *old, line))
            return false;
        bool no_newline = l->text.no_newline && at + *old + 1 == l->text.count;
        if (endings ? no_newline != line->no_newline : line->no_newline && !no_newline)
            return false;
        ++*old;
    }
    return true;
}

/* Reports the text's line AT, where the patch has LINE. */
static int refuse_line(struct locator *l, const char *where, size_t at,
                       const struct patch_line *line) {
    char expected[PATCH_LABEL];
    patch_label(line->text, line->n, expected);
    if (at >= l->text.count)
        return refuse_hunk(l, "%sthe patch has %s as line %zu, but the text ends before it", where,
                           expected, at + 1);
    if (!lined_equals(&l->text, at, line)) {
        char found[PATCH_LABEL];
        size_t n;
        const char *content = lined_content(&l->text, at, &n);
        return refuse_hunk(l, "%sline %zu is %s, and the patch has %s", where, at + 1,
                           patch_label(content, n, found), expected);
    }
    const char *marker = "\\ No newline at end of file";
    (void)refuse_hunk(l, "%sline %zu, %s, %s", where, at + 1, expected,
                      line->no_newline ? "ends in a newline"
                                       : "is the last one and has no newline");
    error_hint(l->error, line->no_newline ? "leave out \"%s\"" : "put \"%s\" after the line",
               marker);
    return AQFS_PATCH_APPLY;
}

/* Adds a hint on where else the hunk's old lines stand.  The hunk is never applied there. */
static void hint_elsewhere(struct locator *l) {
    const struct patch_hunk *h = current_hunk(l);
    struct finder finder;
    struct error ignored;
    size_t found[2], n = 0;
    if (finder_open(&finder, &l->text, h, 1, &ignored) == AQFS_OK)
        (void)finder_find(&finder, 0, h->old_count, 0, found, &n, &ignored);
    finder_close(&finder);
    if (n == 1)
        error_hint(l->error, "the hunk's lines are at line %zu", found[0] + 1);
    if (n == 2)
        error_hint(l->error, "the hunk's lines are at line %zu and at line %zu", found[0] + 1,
                   found[1] + 1);
}

static int refuse_unplaced(struct locator *l, size_t line) {
    (void)refuse_hunk(l, "it has no context line to show that it belongs at line %zu", line);
    error_hint(l->error,
               "add the line before it or after it as context, or give the version that was read, "
               "so that the number counts");
    return AQFS_PATCH_APPLY;
}

/* Places a hunk without old lines by its header. */
static int locate_stated(struct locator *l, size_t *at) {
    const size_t after = current_hunk(l)->old_start;
    if (after > l->text.count)
        return refuse_hunk(l, "it belongs after line %zu, but the text has %zu", after,
                           l->text.count);
    *at = after;
    return AQFS_OK;
}

/* A hunk of a unified diff applies at the stated line or not at all. */

static int locate_exactly(struct locator *l, size_t *at) {
    const struct patch_hunk *h = current_hunk(l);
    if (h->old_count == 0 && l->patch->placed)
        return locate_stated(l, at);
    if (h->old_count == 0 && l->text.count > 0)
        return refuse_unplaced(l, h->new_start);
    size_t start = h->old_count > 0 ? h->old_start - 1 : 0, old;
    struct patch_line line;
    if (h->old_count == 0 && h->old_start > 0)
        return refuse_hunk(l, "it belongs after line %zu, but the text is empty", h->old_start);
    if (!compare_hunk(l, start, true, &old, &line)) {
        (void)refuse_line(l, "", start + old, &line);
        if (l->error->hint[0] == '\0')
            hint_elsewhere(l);
        return AQFS_PATCH_APPLY;
    }
    *at = start;
    return AQFS_OK;
}

/* Says where the lines were expected, and how the place where most of them stand differs. */
static int refuse_missing(struct locator *l, size_t from) {
    const struct patch_hunk *h = current_hunk(l);
    const char *where = h->end_of_file     ? "at the end of the file"
                        : from > l->cursor ? "after its anchor"
                        : from > 0         ? "after those of the hunk before it"
                                           : "in the file";
    size_t at, old;
    struct patch_line line;
    size_t agreeing = lined_nearest(&l->text, h, from, &at);
    if (agreeing == 0)
        return refuse_hunk(l, "its lines are not %s", where);
    const bool alike = lined_resembles(&l->text, h, at);
    if (compare_hunk(l, at, false, &old, &line))
        return refuse_hunk(l, "its lines are not %s, but at line %zu", where, at + 1);
    char words[200];
    (void)snprintf(words, sizeof words, "its lines are not %s; the nearest are at line %zu, where ",
                   where, at + 1);
    int code = refuse_line(l, words, at + old, &line);
    if (alike)
        error_hint(l->error, "they differ in white space alone: copy them from the file");
    return code;
}

static int refuse_ambiguous(struct locator *l, const char *what, size_t first, size_t second) {
    (void)refuse_hunk(l, "%s at line %zu and at line %zu", what, first + 1, second + 1);
    error_hint(l->error, "add lines of context, or an anchor: @@ and a line that stands above, "
                         "such as that of the class or function");
    return AQFS_PATCH_APPLY;
}

static int refuse_anchor(struct locator *l, size_t number) {
    const struct patch_anchor *anchor = &current_hunk(l)->anchors[number];
    char label[PATCH_LABEL];
    return refuse_hunk(l, "no line%s begins with the anchor %s",
                       number > 0 ? " within the last" : "",
                       patch_label(anchor->text, anchor->n, label));
}

static int locate_insertion(struct locator *l, const struct region *region, size_t *at) {
    const struct patch_hunk *h = current_hunk(l);
    if (h->end_of_file || l->text.count == 0) {
        *at = l->text.count;
    } else if (h->anchor_count == 0) {
        (void)refuse_hunk(l, "it has no context or anchor to show where its lines belong");
        error_hint(l->error, "add lines of context, or *** End of File to append");
        return AQFS_PATCH_APPLY;
    } else if (!region->exact) {
        return refuse_ambiguous(l, "its anchor is", region->from, region->other);
    } else {
        *at = region->from + 1;
    }
    if (*at < l->cursor)
        return refuse_hunk(l, "it belongs at line %zu, before the hunk that it follows", *at + 1);
    l->settled = true;
    return AQFS_OK;
}

static int locate_end(struct locator *l, size_t from, size_t *at) {
    const struct patch_hunk *h = current_hunk(l);
    size_t start = h->old_count <= l->text.count ? l->text.count - h->old_count : SIZE_MAX;
    if (start < from || !finder_is_at(&l->finder, l->wanted, h->old_count, start))
        return refuse_missing(l, from);
    l->settled = true;
    *at = start;
    return AQFS_OK;
}

/* The clients that models are trained with take the first match after an anchor and after another
 * hunk.  So does this, where that place is certain itself. */
static bool first_match_counts(const struct locator *l, const struct region *region) {
    return l->settled || (current_hunk(l)->anchor_count > 0 && region->exact);
}

static int locate_context(struct locator *l, const struct region *region, size_t from, size_t *at) {
    const struct patch_hunk *h = current_hunk(l);
    size_t found[2], n;
    int code = finder_find(&l->finder, l->wanted, h->old_count, from, found, &n, l->error);
    if (code != AQFS_OK)
        return code;
    if (n == 0)
        return refuse_missing(l, from);
    if (!anchors_hold(&l->anchors, region, found[0]))
        return refuse_hunk(l, "its lines are not after its anchor, line %zu, but at line %zu",
                           region->from + 1, found[0] + 1);
    bool certain =
        first_match_counts(l, region) || n == 1 || !anchors_hold(&l->anchors, region, found[1]);
    if (!certain && !h->is_anchor)
        return refuse_ambiguous(l, "its lines are", found[0], found[1]);
    l->settled = certain;
    *at = found[0];
    return AQFS_OK;
}

static int locate_in_region(struct locator *l, const struct region *region, size_t *at) {
    const struct patch_hunk *h = current_hunk(l);
    size_t from = region->from > l->cursor ? region->from : l->cursor;
    if (h->old_count == 0)
        return locate_insertion(l, region, at);
    return h->end_of_file ? locate_end(l, from, at) : locate_context(l, region, from, at);
}

/* Finds the anchors' region after the previous hunk, else anywhere: a hunk may repeat an anchor
 * that stands above several hunks.  FOUND is as for anchors_narrow. */
static bool find_region(struct locator *l, struct region *region, size_t *found) {
    const struct patch_hunk *h = current_hunk(l);
    if (l->settled && anchors_narrow(&l->anchors, h, l->cursor, region, found)) {
        region->exact = true;
        return true;
    }
    return anchors_narrow(&l->anchors, h, 0, region, found);
}

static int locate_by_context(struct locator *l, size_t *at) {
    struct region region;
    size_t anchor, old;
    struct patch_line line;
    int code = find_region(l, &region, &anchor) ? locate_in_region(l, &region, at)
                                                : refuse_anchor(l, anchor);
    if (l->anchors.exhausted)
        return fail(l->error, AQFS_LIMIT, "the regions of the anchors take too long to find");
    if (code == AQFS_OK && !compare_hunk(l, *at, false, &old, &line))
        return refuse_line(l, "", *at + old, &line);
    return code;
}

int locator_next(struct locator *l, size_t *at) {
    const struct patch_hunk *h = current_hunk(l);
    int code = l->patch->format == PATCH_UNIFIED ? locate_exactly(l, at) : locate_by_context(l, at);
    if (code == AQFS_PATCH_APPLY)
        patch_hint_hunk(h, l->error);
    if (code != AQFS_OK)
        return code;
    l->cursor = *at + h->old_count;
    l->wanted += h->old_count;
    l->hunk++;
    return AQFS_OK;
}
