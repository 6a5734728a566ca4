/* edit_form.c -- edit_form: changes a form of a Lisp file by its name.
 *
 * The text outside of the form stays as it is, byte for byte.  The comment directly
 * above a form goes with it when the form is deleted, and is replaced where the new
 * text begins with a comment of its own, as what read_form shows does.
 *
 * SPDX-License-Identifier: MIT
 */
#include "balance.h"
#include "cleanup.h"
#include "edit.h"
#include "lisp_text.h"
#include "offer.h"
#include "ops.h"

#include <stdio.h>
#include <string.h>

/* The parts of an edit, as `edits` has them and as the call has one: in the order of the table. */
enum form_edit_part {
    PART_NAME,
    PART_KIND,
    PART_PACKAGE,
    PART_QUALIFIERS,
    PART_SPECIALIZERS,
    PART_LINE,
    PART_ACTION,
    PART_CONTENT,
    PART_NEW_NAME,
    PART_OLD_STR,
    PART_NEW_STR,
    PART_COUNT
};

/* The parameters that the parts are, in that order. */
static const struct param *part_params(const struct call *c) {
    size_t i = 0;
    while (c->op->params[i].type != PARAM_EDITS)
        i++;
    return c->op->params[i].members;
}

enum form_action {
    ACTION_REPLACE,
    ACTION_BEFORE,
    ACTION_AFTER,
    ACTION_DELETE,
    ACTION_RENAME,
    ACTION_WITHIN
};

/* An edit of a text: the bytes of `old` become `new`. */
struct form_change {
    struct span old;
    struct buf new;
};

/* -- the arguments ------------------------------------------------------------------------------
 */

static struct form_wish wish_of(const struct value *parts) {
    return (struct form_wish){
        .name = parts[PART_NAME].text,
        .kind = parts[PART_KIND].text,
        .package = parts[PART_PACKAGE].text,
        .qualifiers = parts[PART_QUALIFIERS].text,
        .specializers = parts[PART_SPECIALIZERS].text,
        .line = parts[PART_LINE].known ? parts[PART_LINE].integer : 0,
    };
}

static enum form_action form_action_of(const struct value *parts) {
    static const char *const words[] = {"replace", "insert_before", "insert_after",
                                        "delete",  "rename",        "replace_within"};
    const struct value *action = &parts[PART_ACTION];
    for (size_t i = 0; action->known && i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == action->text.len &&
            memcmp(words[i], action->text.data, action->text.len) == 0)
            return (enum form_action)i;
    return parts[PART_OLD_STR].known    ? ACTION_WITHIN
           : parts[PART_NEW_NAME].known ? ACTION_RENAME
                                        : ACTION_REPLACE;
}

static int require_part(struct call *c, const struct value *parts, enum form_edit_part part,
                        const char *why) {
    if (parts[part].known)
        return AQFS_OK;
    return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "%s: this argument is required %s",
                part_params(c)[part].name, why);
}

static int refuse_part(struct call *c, const struct value *parts, enum form_edit_part part,
                       const char *why) {
    if (!parts[part].given)
        return AQFS_OK;
    return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "%s: this argument has no meaning %s",
                part_params(c)[part].name, why);
}

/* Has the edit what its action needs, and nothing that another action would need? */
static int check_parts(struct call *c, const struct value *parts, enum form_action action) {
    bool within = action == ACTION_WITHIN, renames = action == ACTION_RENAME;
    bool takes_content = !within && !renames && action != ACTION_DELETE;
    int code = AQFS_OK;
    if (takes_content)
        code = require_part(c, parts, PART_CONTENT, "to replace or to insert a form");
    else
        code = refuse_part(c, parts, PART_CONTENT, "with this action");
    if (!code && renames)
        code = require_part(c, parts, PART_NEW_NAME, "to rename");
    else if (!code)
        code = refuse_part(c, parts, PART_NEW_NAME, "with this action");
    const enum form_edit_part texts[] = {PART_OLD_STR, PART_NEW_STR};
    for (size_t i = 0; i < 2 && !code; i++)
        code = within ? require_part(c, parts, texts[i], "to replace a part of a form")
                      : refuse_part(c, parts, texts[i], "with this action");
    return code;
}

/* -- one edit -----------------------------------------------------------------------------------
 */

static bool is_form_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/* TEXT without white space around it. */
static struct text_ref without_blanks(struct text_ref text) {
    while (text.len > 0 && is_form_blank(text.data[0]))
        text = (struct text_ref){text.data + 1, text.len - 1};
    while (text.len > 0 && is_form_blank(text.data[text.len - 1]))
        text.len--;
    return text;
}

/* Behind the line break at AT, if there is one. */
static size_t behind_newline(struct text_ref text, size_t at) {
    return at < text.len && text.data[at] == '\n' ? at + 1 : at;
}

/* Where something can be put behind FORM: behind a comment on its line, unless another form is on
 * the line. */
static size_t end_of_form(struct text_ref text, const struct form *form) {
    size_t at = form->end;
    while (at < text.len && (text.data[at] == ' ' || text.data[at] == '\t'))
        at++;
    if (at < text.len && text.data[at] != '\n' && text.data[at] != ';')
        return form->end;
    const char *newline = memchr(text.data + at, '\n', text.len - at);
    return newline ? (size_t)(newline - text.data) : text.len;
}

static void delete_form(const struct lisp_text *lisp, const struct form *form,
                        struct form_change *out) {
    const struct text_ref text = lisp->text;
    size_t start = comment_above(lisp, form), end = end_of_form(text, form);
    size_t line = linewise_start(text.data, form->start);
    if (start > line || (end == form->end && behind_newline(text, end) == end && end < text.len)) {
        out->old = (struct span){start > line ? form->start : start, form->end - start};
        return;
    }
    end = behind_newline(text, end);
    /* Of the empty lines around it, those above stay. */
    bool above = start == 0 || (start >= 2 && text.data[start - 2] == '\n');
    while (above && end < text.len && text.data[end] == '\n')
        end++;
    out->old = (struct span){start, end - start};
}

static void replace_form(const struct lisp_text *lisp, const struct form *form,
                         struct text_ref content, struct form_change *out) {
    const struct text_ref text = lisp->text;
    bool brings_comment = content.len > 0 && content.data[0] == ';';
    size_t start = brings_comment ? comment_above(lisp, form) : form->start;
    while (start < form->start && (text.data[start] == ' ' || text.data[start] == '\t'))
        start++; /* the content has no white space in front any more */
    out->old = (struct span){start, form->end - start};
    buf_add(&out->new, content.data, content.len);
}

static void insert_form(const struct lisp_text *lisp, const struct form *form, bool before,
                        struct text_ref content, struct form_change *out) {
    const struct text_ref text = lisp->text;
    size_t at = before ? comment_above(lisp, form) : end_of_form(text, form);
    out->old = (struct span){at, 0};
    if (!before)
        buf_str(&out->new, "\n\n");
    buf_add(&out->new, content.data, content.len);
    if (before)
        buf_str(&out->new, "\n\n");
    else if (at == form->end && at < text.len && text.data[at] != '\n')
        buf_char(&out->new, '\n');
}

static int rename_form(struct call *c, const struct lisp_text *lisp, const struct form *form,
                       struct text_ref name, struct form_change *out) {
    struct definition d = definition_of(lisp->dialect, lisp->text.data, form);
    if (d.kind.len == 0 || d.name.len == 0)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "new_name: this form has no name");
    if (name.len == 0)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "new_name: expected a name, not \"\"");
    out->old = d.name;
    buf_add(&out->new, name.data, name.len);
    return AQFS_OK;
}

static int replace_within(struct call *c, const struct lisp_text *lisp, const struct form *form,
                          const struct textfile *file, const struct value *parts,
                          struct form_change *out) {
    AUTO(buf_free) struct buf old = {0}, new = {0};
    AUTO(replaced_free) struct replaced edited = {0};
    int code = textfile_accept(&c->work, file, parts[PART_OLD_STR].text, &old);
    code = code ? code : textfile_accept(&c->work, file, parts[PART_NEW_STR].text, &new);
    if (code)
        return code;
    const struct edit edit = {.old_str = {old.data ? old.data : "", old.len},
                              .new_str = {new.data ? new.data : "", new.len},
                              .budget = &c->work.budget};
    out->old = (struct span){form->start, form->end - form->start};
    struct text_ref text = {lisp->text.data + out->old.at, out->old.len};
    code = replace_apply(text, &edit, 1, &edited, &c->work.error);
    if (!code)
        buf_add(&out->new, edited.text.data, edited.text.len);
    return code;
}

static int change_form(struct call *c, const struct lisp_text *lisp, const struct form *form,
                       const struct textfile *file, const struct value *parts,
                       struct form_change *out) {
    AUTO(buf_free) struct buf given = {0};
    enum form_action action = form_action_of(parts);
    int code = check_parts(c, parts, action);
    if (!code && parts[PART_CONTENT].known)
        code = textfile_accept(&c->work, file, parts[PART_CONTENT].text, &given);
    if (code)
        return code;
    struct text_ref content =
        without_blanks((struct text_ref){given.data ? given.data : "", given.len});
    if (parts[PART_CONTENT].known && content.len == 0)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "content: expected a form; to delete one give action=delete");
    switch (action) {
    case ACTION_DELETE:
        delete_form(lisp, form, out);
        break;
    case ACTION_RENAME:
        return rename_form(c, lisp, form, parts[PART_NEW_NAME].text, out);
    case ACTION_WITHIN:
        return replace_within(c, lisp, form, file, parts, out);
    case ACTION_REPLACE:
        replace_form(lisp, form, content, out);
        break;
    default:
        insert_form(lisp, form, action == ACTION_BEFORE, content, out);
    }
    return AQFS_OK;
}

/* Makes the edit PARTS in TEXT, of FILE at the place that LISP has. */
static int make_form_edit(struct call *c, const struct place *place, const struct textfile *file,
                          const struct value *parts, struct buf *text) {
    AUTO(lisp_text_free) struct lisp_text lisp = {.place = *place};
    AUTO(buf_free) struct buf after = {0};
    struct form_change change = {0};
    struct form_wish wish = wish_of(parts);
    size_t number = 0;
    lisp.text = (struct text_ref){text->data ? text->data : "", text->len};
    int code = lisp_forms(c, call_text(c, "path"), &lisp);
    code = code ? code : choose_form(c, &lisp, &wish, &number);
    if (!code)
        code = change_form(c, &lisp, &lisp.forms.all[number], file, parts, &change);
    if (!code) {
        buf_add(&after, text->data, change.old.at);
        buf_add(&after, change.new.data ? change.new.data : "", change.new.len);
        size_t rest = change.old.at + change.old.len;
        buf_add(&after, text->data + rest, text->len - rest);
        code = after.failed || change.new.failed ? fail_memory(&c->work.error) : AQFS_OK;
    }
    buf_free(&change.new);
    if (!code) {
        buf_free(text);
        *text = after;
        after = (struct buf){0};
    }
    return code;
}

/* -- all edits ----------------------------------------------------------------------------------
 */

/* Fails if a member of an edit stands beside the list of edits. */
static int refuse_parts_beside(struct call *c) {
    for (size_t i = 0; i < PART_COUNT; i++)
        if (call_arg(c, part_params(c)[i].name)->given)
            return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                        "%s: expected in each of edits, and not beside them",
                        part_params(c)[i].name);
    return AQFS_OK;
}

/* Says which of several edits failed. */
static int name_edit(struct call *c, size_t number, int code) {
    struct error *e = &c->work.error;
    char message[sizeof e->message];
    if (!code)
        return AQFS_OK;
    (void)snprintf(message, sizeof message, "%s", e->message);
    char hint[sizeof e->hint];
    (void)snprintf(hint, sizeof hint, "%s", e->hint);
    (void)fail(e, (enum code)code, "edits[%zu]: %s", number, message);
    if (hint[0])
        error_hint(e, "%s", hint);
    return code;
}

static int make_listed_edits(struct call *c, const struct place *place, const struct textfile *file,
                             struct buf *text) {
    const struct value *list = call_arg(c, "edits");
    int code = refuse_parts_beside(c);
    for (size_t i = 0; i < list->count && !code; i++)
        code = name_edit(c, i,
                         make_form_edit(c, place, file, list->members + i * list->member_n, text));
    return code;
}

static int make_form_edits(struct call *c, const struct place *place, const struct textfile *file,
                           struct buf *text) {
    struct value parts[PART_COUNT];
    if (call_arg(c, "edits")->known)
        return make_listed_edits(c, place, file, text);
    for (size_t i = 0; i < PART_COUNT; i++)
        parts[i] = *call_arg(c, part_params(c)[i].name);
    if (!parts[PART_NAME].known && !parts[PART_LINE].known)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT,
                    "Give name, or a line inside the form, or edits");
    return make_form_edit(c, place, file, parts, text);
}

static int edit_text(struct call *c, const struct change *change, const struct textfile *file,
                     struct buf *text) {
    buf_add(text, file->text.data ? file->text.data : "", file->text.len);
    return text->failed ? fail_memory(&c->work.error) : make_form_edits(c, &change->at, file, text);
}

static bool says_no_edit(struct call *c) {
    bool none = !call_arg(c, "edits")->given;
    for (size_t i = 0; i < PART_COUNT && none; i++)
        none = !call_arg(c, part_params(c)[i].name)->given;
    return none;
}

/* Takes what is offered, which the arguments beside `accept`, if there are any, must give again. */
static int take_accepted(struct call *c, struct change *change, struct textfile *file,
                         struct buf *text) {
    AUTO(replaced_free) struct replaced offered = {0};
    int code;
    if (says_no_edit(c)) {
        code = offer_take(c, change, file, &offered);
    } else {
        code = edit_text(c, change, file, &offered.text);
        code = code ? code : balance_accept(c, change, file, &offered);
    }
    if (!code)
        buf_add(text, offered.text.data ? offered.text.data : "", offered.text.len);
    return code ? code : text->failed ? fail_memory(&c->work.error) : AQFS_OK;
}

int plan_edit_form(struct call *c, struct plan *p) {
    AUTO(textfile_free) struct textfile file = {0};
    AUTO(buf_free) struct buf text = {0};
    struct change *change = NULL;
    int code = open_edit(c, p, &change);
    code = code ? code : textfile_load(&c->work, change, &file);
    if (code)
        return code;
    code = call_arg(c, "accept")->known ? take_accepted(c, change, &file, &text)
                                        : edit_text(c, change, &file, &text);
    if (code)
        return code;
    struct span span =
        changed_span((struct text_ref){file.text.data ? file.text.data : "", file.text.len},
                     (struct text_ref){text.data ? text.data : "", text.len});
    if (span.len == 0 && text.len == file.text.len)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "The edit changes nothing");
    return finish_edit(c, p, change, &file, &text, &span, 1);
}
