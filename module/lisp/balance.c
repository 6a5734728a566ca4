/* balance.c -- no change takes the balance of a Lisp file unnoticed: see balance.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "balance.h"

#include "cleanup.h"
#include "diff.h"
#include "lisp_text.h"
#include "offer.h"
#include "repair.h"
#include "replace.h"

#include <inttypes.h>
#include <string.h>

/* The most bytes of a diff that an error shows. */
#define SHOWN_DIFF_BYTES 4000

struct loss {
    struct change *change;
    const struct textfile *file; /* or NULL */
    struct text_ref before, after;
    enum dialect dialect;
    struct forms_fault fault;
    struct repair repair;
    struct replaced *keep; /* gets the corrected text, which is not offered then; or NULL */
    bool beside;           /* the call changes other files as well */
};

/* -- is it lost? --------------------------------------------------------------------------------
 */

static bool is_unbalanced(enum dialect dialect, struct text_ref text, struct forms_fault *fault,
                          bool *unsure) {
    struct forms forms;
    if (!forms_read(dialect, text.data, text.len, &forms))
        return false;
    *fault = forms.fault;
    *unsure = forms.unsure != NULL;
    forms_free(&forms);
    return fault->kind != FAULT_BALANCED;
}

/* Without memory the balance counts as kept: what comes after this will fail. */
static bool is_lost(struct loss *l) {
    struct forms_fault old;
    bool unsure = false;
    const struct place *at = &l->change->at;
    if (memchr(l->after.data, '\0', l->after.len)) /* UTF-16, or no text */
        return false;
    l->dialect = dialect_of(at->path, at->len, l->after.data, l->after.len);
    if (!l->dialect || !is_unbalanced(l->dialect, l->after, &l->fault, &unsure) || unsure)
        return false;
    return !l->before.data || (!is_unbalanced(l->dialect, l->before, &old, &unsure) && !unsure);
}

/* -- what is said -------------------------------------------------------------------------------
 */

static int64_t line_of(const struct loss *l, size_t at) {
    return (int64_t)lines_count(l->after.data, at) + 1;
}

static void say_fault(const struct loss *l, struct buf *out) {
    switch (l->fault.kind) {
    case FAULT_EXTRA:
        buf_printf(out, "closes more than it opens, at line %" PRId64, line_of(l, l->fault.at));
        break;
    case FAULT_MISMATCH:
        buf_printf(out, "closes at line %" PRId64 " with %c what line %" PRId64 " opens with %c",
                   line_of(l, l->fault.at), l->after.data[l->fault.at], line_of(l, l->fault.open),
                   l->after.data[l->fault.open]);
        break;
    case FAULT_BROKEN:
        buf_printf(out, "has a %s that begins at line %" PRId64 " and never ends", l->fault.what,
                   line_of(l, l->fault.open));
        break;
    default:
        buf_str(out, "is not closed");
    }
}

/* `defun f (lines 3-9)` */
static void say_form(const struct loss *l, struct buf *out) {
    struct form form = l->repair.form;
    struct lisp_text lisp = {.text = l->after, .dialect = l->dialect};
    while (form.end > form.start + 1 && strchr(" \t\r\n", l->after.data[form.end - 1]))
        form.end--;
    if (form.end == form.start) {
        buf_str(out, "the end of the file");
        return;
    }
    bool list = l->after.data[form.start] == '(';
    form.open = list ? form.start + 1 : form.end;
    form_label(&lisp, &form, out);
    buf_printf(out, " (lines %" PRId64 "-%" PRId64 ")", line_of(l, form.start),
               line_of(l, form.end - 1));
}

/* The text as it would be with the correction, and the place that it changes. */
static bool correct_text(const struct loss *l, struct replaced *out) {
    const struct span old = l->repair.old;
    const size_t behind = old.at + old.len;
    buf_add(&out->text, l->after.data, old.at);
    buf_str(&out->text, l->repair.new);
    buf_add(&out->text, l->after.data + behind, l->after.len - behind);
    out->count = 1;
    const struct text_ref before = l->before.data ? l->before : (struct text_ref){"", 0};
    const struct text_ref text = {out->text.data, out->text.len};
    return !out->text.failed && spans_add(&out->spans, changed_span(before, text));
}

/* Where the form ends, in a line of its own, once it is corrected: a correction that is wrong may
 * give what is behind it to another form. */
static bool say_end(const struct loss *l, const struct replaced *corrected, struct buf *out) {
    struct forms forms;
    const struct buf *text = &corrected->text;
    if (!forms_read(l->dialect, text->data, text->len, &forms))
        return false;
    for (size_t i = 0; i < forms.n; i++) {
        const struct form *form = &forms.all[i];
        if (form->end <= l->repair.form.start)
            continue;
        buf_printf(out,
                   "\nWith the likely correction of what you gave, the form ends in line %" PRId64,
                   (int64_t)lines_count(text->data, form->end - 1) + 1);
        break;
    }
    forms_free(&forms);
    buf_str(out, ":\n");
    return true;
}

/* Shows the correction as a change of what the call would have written. */
static int show_correction(struct call *c, const struct loss *l, const struct replaced *corrected) {
    AUTO(buf_free) struct buf path = {0}, diff = {0}, words = {0};
    struct diff_stats stats;
    const struct place *at = &l->change->at;
    place_show(c->work.ws, at->root, at->path, at->len, &path);
    const struct text_ref name = {path.data ? path.data : "", path.len};
    const struct diff_side old = {l->after, name};
    const struct diff_side new = {{corrected->text.data, corrected->text.len}, name};
    int code = diff_unified(&c->work.ws->libraries, &old, &new, SHOWN_DIFF_BYTES, &diff, &stats,
                            &c->work.error);
    if (code)
        return code;
    if (!say_end(l, corrected, &words))
        return fail_memory(&c->work.error);
    buf_add(&words, diff.data ? diff.data : "", diff.len);
    call_refuse_with(c, AQFS_UNBALANCED, NULL, &words);
    return AQFS_OK;
}

static int correct_loss(struct call *c, struct loss *l) {
    AUTO(replaced_free) struct replaced corrected = {0};
    if (!l->repair.known)
        return AQFS_OK;
    if (!correct_text(l, &corrected))
        return fail_memory(&c->work.error);
    int code = show_correction(c, l, &corrected);
    if (!code && l->keep) {
        *l->keep = corrected;
        corrected = (struct replaced){0};
    } else if (!code && l->file) {
        code = offer_make(c, AQFS_UNBALANCED, l->change, l->file, &corrected);
    }
    return code;
}

/* Looks for the correction of L's text.  False without memory. */
static bool find_correction(struct loss *l) {
    struct span changed = {0, l->after.len};
    if (l->before.data)
        changed = changed_span(l->before, l->after);
    return repair_find(l->dialect, l->after.data, l->after.len, changed, &l->repair);
}

int balance_accept(struct call *c, struct change *change, const struct textfile *file,
                   struct replaced *edited) {
    AUTO(replaced_free) struct replaced corrected = {0};
    struct loss l = {.change = change,
                     .file = file,
                     .before = {file->text.data ? file->text.data : "", file->text.len},
                     .after = {edited->text.data ? edited->text.data : "", edited->text.len}};
    if (!is_lost(&l))
        return offer_check(c, change, file, edited);
    if (!find_correction(&l))
        return fail_memory(&c->work.error);
    if (!l.repair.known)
        return offer_check(c, change, file, edited);
    if (!correct_text(&l, &corrected))
        return fail_memory(&c->work.error);
    int code = offer_check(c, change, file, &corrected);
    if (!code) {
        replaced_free(edited);
        *edited = corrected;
        corrected = (struct replaced){0};
    }
    return code;
}

/* `The parentheses`, and of which file if the call is about several. */
static void say_whose(const struct call *c, const struct loss *l, struct buf *out) {
    AUTO(buf_free) struct buf path = {0};
    const struct place *at = &l->change->at;
    buf_str(out, "The parentheses");
    if (!l->beside)
        return;
    place_show(c->work.ws, at->root, at->path, at->len, &path);
    buf_str(out, " of '");
    path_show_safe(out, path.data ? path.data : "", path.len);
    buf_char(out, '\'');
}

/* Sets the error if the balance is lost, and shows the correction. */
static int refuse_loss(struct call *c, struct loss *l) {
    AUTO(buf_free) struct buf whose = {0}, form = {0}, fault = {0};
    const struct value *allowed = call_arg(c, "allow_unbalanced");
    if ((allowed && allowed->boolean) || l->after.len == 0 || !is_lost(l))
        return AQFS_OK;
    if (!find_correction(l))
        return fail_memory(&c->work.error);
    int code = correct_loss(c, l);
    if (code)
        return code;
    say_whose(c, l, &whose);
    say_form(l, &form);
    say_fault(l, &fault);
    if (whose.failed || form.failed || fault.failed)
        return fail_memory(&c->work.error);
    (void)fail(&c->work.error, AQFS_UNBALANCED,
               "%s would not balance: %s %s; indentation and structure part at line %" PRId64,
               whose.data, form.data, fault.data, line_of(l, l->repair.parts_at));
    error_hint(&c->work.error, "Balance the text and call again; with allow_unbalanced it is "
                               "written as it is");
    return AQFS_UNBALANCED;
}

int balance_check(struct call *c, struct change *change, const struct textfile *file,
                  struct text_ref before, struct text_ref after) {
    struct loss l = {.change = change, .file = file, .before = before, .after = after};
    return refuse_loss(c, &l);
}

/* -- the bytes of a change ----------------------------------------------------------------------
 */

/* The texts that a change replaces and writes, where they are not its bytes. */
struct decoded_sides {
    struct textfile old, new;
    bool decoded; /* both are read as text */
    bool alike;   /* a text of one can be stored as the other is */
};

static void decoded_sides_free(struct decoded_sides *s) {
    textfile_free(&s->old);
    textfile_free(&s->new);
}

/* Reads both sides of L's change as text.  Bytes that are no text are looked at as they are. */
static void decode_sides(struct call *c, struct loss *l, struct decoded_sides *out) {
    const struct buf *old = &out->old.text, *new = &out->new.text;
    int code = l->before.data ? textfile_load(&c->work, l->change, &out->old) : AQFS_OK;
    const bool plain = !l->before.data || out->old.borrowed || l->before.len == 0;
    if (!code && !plain)
        code = textfile_load_new(&c->work, l->change, &out->new);
    if (code) {
        c->work.error = (struct error){0};
        return;
    }
    out->decoded = !plain;
    out->alike = plain || textfile_is_like(&out->old, &out->new);
    if (plain)
        return;
    l->before = (struct text_ref){old->data ? old->data : "", old->len};
    l->after = (struct text_ref){new->data ? new->data : "", new->len};
}

/* Has L's change write the text that was kept. */
static int write_kept(struct call *c, struct loss *l, const struct decoded_sides *sides) {
    buf_free(&l->change->new_bytes);
    return sides->decoded ? textfile_store(&c->work, &sides->old, &l->keep->text, l->change)
                          : plan_set_bytes(&c->work, l->change, &l->keep->text);
}

static bool is_lisp_change(const struct change *change) {
    const struct buf *new = &change->new_bytes;
    return new->len > 0 && dialect_of(change->at.path, change->at.len, new->data, new->len);
}

/* The bytes that CHANGE writes, and those that it replaces: FROM, or its own old ones. */
static struct loss loss_of(struct change *change, const struct buf *from, bool alone) {
    const struct buf *old = from ? from : &change->old_bytes, *new = &change->new_bytes;
    const bool is_new = !from && change->seen.type == NODE_MISSING;
    return (struct loss){.change = change,
                         .before = {is_new      ? NULL
                                    : old->data ? old->data
                                                : "",
                                    old->len},
                         .after = {new->data ? new->data : "", new->len},
                         .beside = !alone};
}

int balance_check_bytes(struct call *c, struct change *change, bool alone) {
    AUTO(decoded_sides_free) struct decoded_sides sides = {0};
    if (!is_lisp_change(change))
        return AQFS_OK;
    struct loss l = loss_of(change, NULL, alone);
    decode_sides(c, &l, &sides);
    l.file = alone && sides.alike ? &sides.old : NULL;
    return refuse_loss(c, &l);
}

int balance_correct(struct call *c, struct change *change, const struct buf *from, bool alone,
                    bool *corrected) {
    AUTO(decoded_sides_free) struct decoded_sides sides = {0};
    AUTO(replaced_free) struct replaced kept = {0};
    if (!is_lisp_change(change))
        return AQFS_OK;
    struct loss l = loss_of(change, from, alone);
    if (!from)
        decode_sides(c, &l, &sides);
    l.keep = &kept;
    int code = refuse_loss(c, &l);
    *corrected = code == AQFS_UNBALANCED && kept.count > 0 && (from || sides.alike);
    if (*corrected && write_kept(c, &l, &sides))
        return (int)c->work.error.code;
    return code;
}
