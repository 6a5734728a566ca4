/* form_choice.c -- which form of a Lisp file a call means: see lisp_text.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "lisp_text.h"

#include <inttypes.h>
#include <string.h>

/* How many forms a message lists. */
#define LISTED_MOST 8
/* How much of a name. */
#define LABEL_PART_MOST 100

/* `(in-package :foo)` and `(in-package "FOO")` name foo. */
static struct span plain_package(const char *text, struct span name) {
    while (name.len > 0 && strchr("#:\"'", text[name.at])) {
        name.at++;
        name.len--;
    }
    return name;
}

static bool same_package(const struct lisp_text *lisp, struct span package, struct text_ref word) {
    while (word.len > 0 && strchr("#:\"'", word.data[0])) {
        word.data++;
        word.len--;
    }
    return definition_is(lisp->dialect, lisp->text.data, plain_package(lisp->text.data, package),
                         word.data, word.len);
}

/* Two texts are alike if they differ only in white space. */
static bool alike(const char *a, size_t a_len, const char *b, size_t b_len) {
    size_t i = 0, k = 0;
    while (true) {
        while (i < a_len && strchr(" \t\n\r", a[i]))
            i++;
        while (k < b_len && strchr(" \t\n\r", b[k]))
            k++;
        if (i == a_len || k == b_len)
            return i == a_len && k == b_len;
        if ((a[i] | 0x20) != (b[k] | 0x20))
            return false;
        i++;
        k++;
    }
}

/* The specializers of a lambda list, `((a foo) b &rest c)`: `foo t`, as they are given in a call.
 */
static void add_specializers(const struct lisp_text *lisp, struct span list, struct buf *out) {
    const char *text = lisp->text.data;
    struct form part, inner, whole = {list.at, list.at + list.len, list.at + 1};
    struct form_cursor cursor = form_inside(lisp->dialect, text, &whole);
    while (form_next(&cursor, &part) && text[part.start] != '&') {
        struct form_cursor inside = form_inside(lisp->dialect, text, &part);
        if (out->len > 0)
            buf_char(out, ' ');
        if (form_next(&inside, &inner) && form_next(&inside, &inner))
            buf_add(out, text + inner.start, inner.end - inner.start);
        else
            buf_char(out, 't');
    }
}

/* Are WORDS the specializers of a lambda list, with parentheses around them or not, or the list
 * itself? */
static bool specializes(const struct lisp_text *lisp, struct span list, struct text_ref words) {
    AUTO(buf_free) struct buf own = {0};
    if (list.len == 0)
        return false;
    if (alike(lisp->text.data + list.at, list.len, words.data, words.len))
        return true;
    add_specializers(lisp, list, &own);
    if (words.len >= 2 && words.data[0] == '(' && words.data[words.len - 1] == ')') {
        words.data++;
        words.len -= 2;
    }
    return alike(own.data ? own.data : "", own.len, words.data, words.len);
}

static bool fits(const struct lisp_text *lisp, const struct form_wish *wish,
                 const struct definition *d, struct span package) {
    const char *text = lisp->text.data;
    if (wish->name.data &&
        !definition_is_named(lisp->dialect, text, d, wish->name.data, wish->name.len))
        return false;
    if (wish->kind.data &&
        !definition_is(lisp->dialect, text, d->kind, wish->kind.data, wish->kind.len))
        return false;
    if (wish->package.data && !same_package(lisp, package, wish->package))
        return false;
    if (wish->qualifiers.data && !alike(text + d->qualifiers.at, d->qualifiers.len,
                                        wish->qualifiers.data, wish->qualifiers.len))
        return false;
    return !wish->specializers.data || specializes(lisp, d->specializers, wish->specializers);
}

/* `- defmethod area ((s square)), lines 3-7` */
static void list_form(const struct lisp_text *lisp, size_t number, struct buf *out) {
    const struct form *form = &lisp->forms.all[number];
    struct line_counter counter = {.text = lisp->text};
    int64_t first = line_at(&counter, form->start);
    buf_str(out, out->len > 0 ? "; " : "");
    form_label(lisp, form, out);
    buf_printf(out, ", lines %" PRId64 "-%" PRId64, first, line_at(&counter, form->end - 1));
}

static int by_line(struct call *c, const struct lisp_text *lisp, int64_t line, size_t *number) {
    struct line_counter counter = {.text = lisp->text};
    AUTO(buf_free) struct buf next = {0};
    for (size_t i = 0; i < lisp->forms.n; i++) {
        const struct form *form = &lisp->forms.all[i];
        int64_t first = line_at(&counter, comment_above(lisp, form));
        if (line < first) {
            list_form(lisp, i, &next);
            break;
        }
        *number = i;
        if (line <= line_at(&counter, form->end - 1))
            return AQFS_OK;
    }
    return fail(&c->work.error, AQFS_NO_MATCH,
                "line: no form is at line %" PRId64 "; the next is %s", line,
                next.len > 0 ? next.data : "not there: the file ends");
}

/* Names that contain the wanted one, or are contained in it. */
static void hint_names(struct call *c, const struct lisp_text *lisp, struct text_ref name) {
    AUTO(buf_free) struct buf listed = {0};
    int count = 0;
    for (size_t i = 0; i < lisp->forms.n && count < LISTED_MOST && name.len > 0; i++) {
        const char *text = lisp->text.data;
        struct definition d = definition_of(lisp->dialect, text, &lisp->forms.all[i]);
        bool like = d.kind.len > 0 && d.name.len > 2 &&
                    (memmem(text + d.name.at, d.name.len, name.data, name.len) ||
                     memmem(name.data, name.len, text + d.name.at, d.name.len));
        if (!like)
            continue;
        list_form(lisp, i, &listed);
        count++;
    }
    if (count > 0)
        error_hint(&c->work.error, "There is: %s", listed.data);
    else
        error_hint(&c->work.error, "list_forms lists the %zu forms of the file", lisp->forms.n);
}

static int fail_several(struct call *c, const struct lisp_text *lisp, const size_t *found,
                        size_t count) {
    AUTO(buf_free) struct buf listed = {0};
    for (size_t i = 0; i < count && i < LISTED_MOST; i++)
        list_form(lisp, found[i], &listed);
    int code = fail(&c->work.error, AQFS_MULTIPLE_MATCHES, "%zu forms fit: %s%s", count,
                    listed.data ? listed.data : "", count > LISTED_MOST ? "; ..." : "");
    error_hint(&c->work.error, "Say which with line, kind, package, qualifiers or specializers");
    return code;
}

int choose_form(struct call *c, const struct lisp_text *lisp, const struct form_wish *wish,
                size_t *number) {
    size_t found[LISTED_MOST] = {0}, count = 0;
    struct span package = {0};
    if (!wish->name.data && wish->line > 0)
        return by_line(c, lisp, wish->line, number);
    if (!wish->name.data)
        return fail(&c->work.error, AQFS_INVALID_ARGUMENT, "Give name, or a line inside the form");
    struct line_counter counter = {.text = lisp->text};
    for (size_t i = 0; i < lisp->forms.n; i++) {
        const struct form *form = &lisp->forms.all[i];
        struct definition d = definition_of(lisp->dialect, lisp->text.data, form);
        if (definition_is(lisp->dialect, lisp->text.data, d.kind, "in-package", 10))
            package = d.name;
        if (!fits(lisp, wish, &d, package))
            continue;
        if (wish->line > 0 && (wish->line < line_at(&counter, comment_above(lisp, form)) ||
                               wish->line > line_at(&counter, form->end - 1)))
            continue;
        if (count < LISTED_MOST)
            found[count] = i;
        count++;
    }
    if (count > 1)
        return fail_several(c, lisp, found, count);
    *number = found[0];
    if (count == 1)
        return AQFS_OK;
    int code = fail(&c->work.error, AQFS_NO_MATCH, "name: no form of that name is here: %.*s",
                    (int)(wish->name.len < LABEL_PART_MOST ? wish->name.len : LABEL_PART_MOST),
                    wish->name.data);
    hint_names(c, lisp, wish->name);
    return code;
}
