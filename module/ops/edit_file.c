/* edit_file.c -- edit_file, and the steps that it shares with insert_at_line.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "edit.h"
#include "named_thing.h"
#include "ops.h"
#include "unseen.h"

#include <stdlib.h>
#include <string.h>

/* Unchanged lines shown before and after what an edit made, where it made few places. */
#define CONTEXT 3
#define FEW 8

/* -- shared with insert_at_line ---------------------------------------------------------------- */

/* AQFS_STALE unless VERSION is that of the bytes that CHANGE's file has now. */
static int check_version(struct call *c, struct change *change, struct text_ref version) {
    const char *held = plan_held(change);
    char label[PATH_LABEL];
    if (version.len == strlen(held) && memcmp(version.data, held, version.len) == 0)
        return AQFS_OK;
    return fail(&c->work.error, AQFS_STALE,
                "version: path '%s' has changed since it was read; it is now %s",
                path_label(change->given.data, change->given.len, label), held);
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
    return code || !version->known ? code : check_version(c, change, version->text);
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
    return textfile_store(&c->work, file, text, change);
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
    buf_printf(&c->text, ", lines %lld-%lld:\n", (long long)p->start_line, (long long)p->end_line);
    buf_add(&c->text, p->snippet.data ? p->snippet.data : "", p->snippet.len);
    say_unseen_in_snippet(c, &p->snippet);
    report_links(c, change);
}

/* -- edit_file --------------------------------------------------------------------------------- */

struct edits {
    struct edit *edits;
    struct buf *texts;  /* the edits point to them; they have the file's line endings */
    struct spans spans; /* of the new text, once the edits are applied */
    size_t n;
};

static void edits_free(struct edits *e) {
    for (size_t i = 0; e->texts && i < 2 * e->n; i++)
        buf_free(&e->texts[i]);
    free(e->texts);
    free(e->edits);
    spans_free(&e->spans);
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
                         .expected = expected->known ? (size_t)expected->integer : 0};
    return code;
}

/* The arguments `edits`, or `old_str` and `new_str`, as edits of FILE. */
static int take_edits(struct call *c, const struct textfile *file, struct edits *out) {
    const struct value *list = call_arg(c, "edits");
    struct value one[EDIT_MEMBER_COUNT];
    int code = list->known ? refuse_beside(c) : take_one_edit(c, one);
    if (code)
        return code;
    out->n = list->known ? list->count : 1;
    out->edits = calloc(out->n, sizeof *out->edits);
    out->texts = calloc(2 * out->n, sizeof *out->texts);
    if (!out->edits || !out->texts)
        return fail_memory(&c->work.error);
    const struct value *given = list->known ? list->members : one;
    for (size_t i = 0; i < out->n && !code; i++)
        code =
            take_edit(c, file, given + i * EDIT_MEMBER_COUNT, &out->texts[2 * i], &out->edits[i]);
    return code;
}

int plan_edit_file(struct call *c, struct plan *p) {
    AUTO(textfile_free) struct textfile file = {0};
    AUTO(edits_free) struct edits edits = {0};
    AUTO(buf_free) struct buf text = {0};
    struct change *change = NULL;
    int code = open_edit(c, p, &change);
    code = code ? code : textfile_load(&c->work, change, &file);
    code = code ? code : take_edits(c, &file, &edits);
    if (code)
        return code;
    struct text_ref before = {file.text.data ? file.text.data : "", file.text.len};
    code = replace_apply(before, edits.edits, edits.n, &text, &edits.spans, &p->replacements,
                         &c->work.error);
    return code ? code : finish_edit(c, p, change, &file, &text, edits.spans.all, edits.spans.n);
}
