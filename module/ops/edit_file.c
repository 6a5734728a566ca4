/* edit_file.c -- edit_file, and the steps that it shares with insert_at_line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "balance.h"
#include "cleanup.h"
#include "edit.h"
#include "named_thing.h"
#include "offer.h"
#include "ops.h"
#include "read_lines.h"
#include "unseen.h"

#include <stdlib.h>
#include <string.h>

/* Unchanged lines shown before and after what an edit made, where it made few places. */
#define CONTEXT 3
#define FEW 8

/* -- shared with insert_at_line ---------------------------------------------------------------- */

int check_version(struct call *c, struct change *change, struct text_ref path,
                  struct text_ref version) {
    const char *held = plan_held(change);
    char label[PATH_LABEL];
    if (version.len == strlen(held) && memcmp(version.data, held, version.len) == 0)
        return AQFS_OK;
    return fail(&c->work.error, AQFS_STALE,
                "version: path '%s' has changed since it was read; it is now %s",
                path_label(path.data, path.len, label), held);
}

int open_edit(struct call *c, struct plan *p, struct change **out) {
    struct text_ref path = call_text(c, "path");
    const struct value *version = call_arg(c, "version");
    struct change *change = plan_add(p, CHANGE_WRITE);
    if (!change)
        return fail_memory(&c->work.error);
    change->given = path;
    change->edits = true;
    *out = change;
    int code = plan_locate(&c->work, p, path, 0, &change->at, NULL);
    if (code)
        return code;
    if (change->at.type != NODE_FILE)
        return fail_not_file(c, path, change->at.type);
    code = plan_read(&c->work, change);
    return code || !version->known ? code : check_version(c, change, path, version->text);
}

struct text_ref edit_bytes_written(const struct change *change) {
    const struct buf *b = change->new_text.len > 0 ? &change->new_text : &change->new_bytes;
    return (struct text_ref){b->data ? b->data : "", b->len};
}

void edit_say_unfinished(struct buf *out, struct text_ref text) {
    if (text.len > 0 && text.data[text.len - 1] != '\n')
        buf_str(out, "; the file ends without a newline");
}

int finish_edit(struct call *c, struct plan *p, struct change *change, const struct textfile *file,
                struct buf *text, const struct span *spans, size_t n) {
    const struct limits *limits = &c->work.ws->limits;
    struct text_ref whole = {text->data ? text->data : "", text->len};
    struct line_range lines = snippet_add(&p->snippet, whole, spans, n, n > FEW ? 0 : CONTEXT,
                                          (size_t)limits->text_bytes);
    p->start_line = (int64_t)lines.first;
    p->end_line = (int64_t)lines.last;
    if (p->snippet.failed)
        return fail_memory(&c->work.error);
    if ((int64_t)text->len > limits->write_bytes)
        return fail(&c->work.error, AQFS_TOO_LARGE, "The edit would make a file of %zu bytes",
                    text->len);
    const struct text_ref before = {file->text.data ? file->text.data : "", file->text.len};
    int code = balance_check(c, change, file, before, whole);
    return code ? code : textfile_store(&c->work, file, text, change);
}

/* Each line of the snippet begins with its number, but for those that stand for what is left out.
 */
static void say_unseen_in_snippet(struct call *c, const struct buf *snippet) {
    struct unseen_note note = {0};
    const char *line = snippet->data, *end = line + snippet->len;
    if (snippet->len == 0 || !unseen_may_be_in(line, snippet->len))
        return;
    while (line < end) {
        const char *next = text_next_line(line, end);
        const char *text = memchr(line, '\t', (size_t)(next - line));
        if (text)
            unseen_note_line(&note, NULL, strtoll(line, NULL, 10), text + 1,
                             (size_t)(next - text) - 1);
        line = next;
    }
    unseen_note_end(&note, &c->text);
}

void report_edit(struct call *c, const struct plan *p) {
    struct change *change = p->changes[0];
    AUTO(buf_free) struct buf path = {0};
    place_show(c->work.ws, change->at.root, change->at.path, change->at.len, &path);
    reply_kv_path(&c->reply, KEY_PATH, path.data, path.len);
    reply_kv_int(&c->reply, KEY_START_LINE, p->start_line);
    reply_kv_int(&c->reply, KEY_END_LINE, p->end_line);
    if (p->replacements > 0)
        reply_kv_int(&c->reply, KEY_REPLACEMENTS, (int64_t)p->replacements);
    reply_kv_string(&c->reply, KEY_SNIPPET, p->snippet.data ? p->snippet.data : "", p->snippet.len);
    reply_kv_string(&c->reply, KEY_DIFF, p->diff.data ? p->diff.data : "", p->diff.len);
    reply_kv_cstring(&c->reply, KEY_VERSION, plan_will_hold(change));
    reply_kv_int(&c->reply, KEY_BYTES_WRITTEN, (int64_t)change->new_bytes.len);
    buf_str(&c->text, "Edited ");
    path_show_safe(&c->text, path.data, path.len);
    if (p->replacements > 1)
        buf_printf(&c->text, ", %zu replacements", p->replacements);
    buf_printf(&c->text, ", lines %lld-%lld", (long long)p->start_line, (long long)p->end_line);
    if (p->endings.len > 0) {
        reply_kv_string(&c->reply, KEY_LINE_ENDINGS, p->endings.data, p->endings.len);
        buf_printf(&c->text, " (%s)", p->endings.data);
    }
    buf_str(&c->text, ":\n");
    buf_add(&c->text, p->snippet.data ? p->snippet.data : "", p->snippet.len);
    buf_printf(&c->text, "[version %s]\n", plan_will_hold(change));
    say_unseen_in_snippet(c, &p->snippet);
    report_links(c, change);
}

/* -- edit_file --------------------------------------------------------------------------------- */

struct edits {
    struct edit *edits;
    struct buf *texts; /* the edits point to them; they have the file's line endings */
    size_t n;
};

static void edits_free(struct edits *e) {
    for (size_t i = 0; e->texts && i < 2 * e->n; i++)
        buf_free(&e->texts[i]);
    free(e->texts);
    free(e->edits);
}

/* The arguments of the call as the members of one edit. */
static int take_one_edit(struct call *c, struct value members[EDIT_MEMBER_COUNT]) {
    for (size_t i = 0; i < EDIT_MEMBER_COUNT; i++)
        members[i] = *call_arg(c, edit_params[i].name);
    if (!members[EDIT_OLD_STR].known && !members[EDIT_NEW_STR].known)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "Give old_str and new_str, or edits");
    for (size_t i = 0; i < EDIT_MEMBER_COUNT; i++)
        if (edit_params[i].required && !members[i].known)
            return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "%s: this argument is required%s",
                        edit_params[i].name,
                        i == EDIT_NEW_STR ? "; to delete old_str give \"\"" : "");
    return AQFS_OK;
}

/* With a list of edits, no member of an edit may stand beside it. */
static int refuse_beside(struct call *c) {
    for (size_t i = 0; i < EDIT_MEMBER_COUNT; i++)
        if (call_arg(c, edit_params[i].name)->given)
            return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                        "%s: expected in each of edits, not beside them", edit_params[i].name);
    return AQFS_OK;
}

static int take_edit(struct call *c, const struct textfile *file, const struct value *members,
                     struct buf texts[2], struct edit *out) {
    struct buf *old = &texts[0], *new = &texts[1];
    int code = textfile_accept(&c->work, file, members[EDIT_OLD_STR].text, old);
    code = code ? code : textfile_accept(&c->work, file, members[EDIT_NEW_STR].text, new);
    const struct value *expected = &members[EDIT_EXPECTED];
    *out = (struct edit){.old_str = {old->data ? old->data : "", old->len},
                         .new_str = {new->data ? new->data : "", new->len},
                         .all = members[EDIT_REPLACE_ALL].boolean || expected->known,
                         .budget = &c->work.budget,
                         .expected = expected->known ? (size_t)expected->integer : 0};
    return code;
}

/* Whether none of N edits says how lines end. */
static bool say_no_endings(const struct value *given, size_t n) {
    bool said = false;
    for (size_t i = 0; i < n && !said; i++, given += EDIT_MEMBER_COUNT)
        said = text_has_cr(given[EDIT_OLD_STR].text) || text_has_cr(given[EDIT_NEW_STR].text);
    return !said;
}

/* The arguments `edits`, or `old_str` and `new_str`, as edits of FILE. */
static int take_edits(struct call *c, struct textfile *file, struct edits *out) {
    const struct value *list = call_arg(c, "edits");
    struct value one[EDIT_MEMBER_COUNT];
    int code = list->known ? refuse_beside(c) : take_one_edit(c, one);
    if (code)
        return code;
    out->n = list->known ? list->count : 1;
    out->edits = calloc(out->n, sizeof *out->edits);
    out->texts = calloc(2 * out->n, sizeof *out->texts);
    const struct value *given = list->known ? list->members : one;
    if (!out->edits || !out->texts || (say_no_endings(given, out->n) && !textfile_unify(file)))
        return fail_memory(&c->work.error);
    for (size_t i = 0; i < out->n && !code; i++)
        code =
            take_edit(c, file, given + i * EDIT_MEMBER_COUNT, &out->texts[2 * i], &out->edits[i]);
    return code;
}

/* -- edits that do not fit, and nearly do -------------------------------------------------------
 */

/* There is no memory, or no time. */
static bool ends_the_call(int code) {
    return code == AQFS_LIMIT || code == AQFS_CANCELLED;
}

/* Makes the edits where they are meant, if they nearly are at one place (correction.h).  Returns
 * AQFS_NO_MATCH, with the error as it is, if they cannot be made so. */
static int edit_nearly(struct call *c, struct text_ref before, struct edits *edits,
                       struct replaced *out) {
    const struct error refused = c->work.error;
    for (size_t i = 0; i < edits->n; i++)
        edits->edits[i].nearly = true;
    int code = replace_apply(before, edits->edits, edits->n, out, &c->work.error);
    if (ends_the_call(code))
        return code;
    c->work.error = refused;
    return code ? AQFS_NO_MATCH : AQFS_OK;
}

static void show_nearest(struct call *c, struct buf *nearest) {
    AUTO(buf_free) struct buf words = {0};
    if (nearest->len == 0)
        return;
    buf_str(&words, "\nThe text there is:\n");
    buf_add(&words, nearest->data, nearest->len);
    call_refuse_with(c, AQFS_NO_MATCH, NULL, &words);
}

/* The edits did not fit, which left WHY.  Shows what is there, and offers what was probably meant;
 * or if the call accepts an offer, checks that it is this one, and leaves it in WHY. */
static int correct_edits(struct call *c, struct change *change, const struct textfile *file,
                         struct edits *edits, struct replaced *why) {
    AUTO(replaced_free) struct replaced near = {0};
    const struct text_ref before = {file->text.data ? file->text.data : "", file->text.len};
    const bool accepts = call_arg(c, "accept")->known;
    int code = edit_nearly(c, before, edits, &near);
    if (ends_the_call(code))
        return code;
    if (accepts) {
        code = code ? offer_check(c, change, file, why) : offer_check(c, change, file, &near);
        if (!code) {
            replaced_free(why);
            *why = near;
            near = (struct replaced){0};
        }
        return code;
    }
    if (code)
        show_nearest(c, &why->nearest);
    else if (offer_make(c, AQFS_NO_MATCH, change, file, &near))
        return AQFS_LIMIT;
    return AQFS_NO_MATCH;
}

static bool accepts_alone(const struct call *c) {
    return call_arg(c, "accept")->known && !call_arg(c, "edits")->known &&
           !call_arg(c, "old_str")->known && !call_arg(c, "new_str")->known;
}

/* Opens what an offer is for: a file, or where there was none when another tool would have made it.
 */
static int open_offered(struct call *c, struct plan *p, struct change **out) {
    struct text_ref path = call_text(c, "path");
    struct place at;
    struct info seen;
    int code = plan_locate(&c->work, p, path, LOCATE_MISSING, &at, &seen);
    if (code || seen.type != NODE_MISSING || at.must_be_dir)
        return code ? code : open_edit(c, p, out);
    code = plan_parents(&c->work, p, &at, false);
    code = code ? code : plan_add_at(&c->work, p, CHANGE_WRITE, &at, &seen, out);
    if (!code)
        (*out)->given = path;
    return code;
}

/* Makes the edits of the call, or what it accepts. */
static int make_or_accept(struct call *c, struct change *change, struct textfile *file,
                          struct replaced *out) {
    AUTO(edits_free) struct edits edits = {0};
    const bool accepts = call_arg(c, "accept")->known;
    if (accepts_alone(c))
        return offer_take(c, change, file, out);
    int code = take_edits(c, file, &edits);
    if (code)
        return code;
    const struct text_ref before = {file->text.data ? file->text.data : "", file->text.len};
    code = replace_apply(before, edits.edits, edits.n, out, &c->work.error);
    if (code == AQFS_NO_MATCH)
        code = correct_edits(c, change, file, &edits, out);
    else if (!code && accepts)
        code = balance_accept(c, change, file, out);
    return code;
}

/* Says in P how the new lines end in a file where lines end in both ways. */
static int name_endings(struct call *c, struct plan *p, const struct textfile *file) {
    const struct text_ref text = edit_bytes_written(p->changes[p->n - 1]);
    if (!file->mixed)
        return AQFS_OK;
    const size_t first = (size_t)p->start_line, n = (size_t)(p->end_line - p->start_line) + 1;
    const size_t at = linewise_below(text.data, text.len, 0, first - 1);
    const size_t end = linewise_below(text.data, text.len, at, n);
    read_say_endings(&p->endings, (struct text_ref){text.data + at, end - at}, p->start_line);
    if (p->endings.len > 0 && end == text.len)
        edit_say_unfinished(&p->endings, text);
    return p->endings.failed ? fail_memory(&c->work.error) : AQFS_OK;
}

int plan_edit_file(struct call *c, struct plan *p) {
    AUTO(textfile_free) struct textfile file = {0};
    AUTO(replaced_free) struct replaced edited = {0};
    struct change *change = NULL;
    int code = accepts_alone(c) ? open_offered(c, p, &change) : open_edit(c, p, &change);
    code = code ? code : textfile_load(&c->work, change, &file);
    code = code ? code : make_or_accept(c, change, &file, &edited);
    if (code)
        return code;
    p->replacements = edited.count;
    code = finish_edit(c, p, change, &file, &edited.text, edited.spans.all, edited.spans.n);
    return code ? code : name_endings(c, p, &file);
}
