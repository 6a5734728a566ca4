/* definition.c -- what a form defines: see definition.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "definition.h"

#include <string.h>
#include <strings.h>

/* A name is not sought deeper in lists than this: ((curried a) b). */
#define NAME_DEPTH 8
/* The documentation is one of so many first parts of a form. */
#define PARTS_MOST 12

static bool is_list(const struct form *form) {
    return form->open < form->end;
}

static bool is_string(const char *text, const struct form *form) {
    return text[form->start] == '"';
}

static struct span whole(const struct form *form) {
    return (struct span){form->start, form->end - form->start};
}

static bool span_is(const char *text, struct span part, const char *word) {
    return strlen(word) == part.len && strncasecmp(text + part.at, word, part.len) == 0;
}

static bool span_contains(const char *text, struct span part, const char *word) {
    return part.len > 0 && memmem(text + part.at, part.len, word, strlen(word));
}

/* -- names --------------------------------------------------------------------------------------
 */

/* The name that metadata stands before: `^:private name`. */
static void skip_metadata(enum dialect dialect, const char *text, struct form *form) {
    while (dialect == DIALECT_CLOJURE && text[form->start] == '^') {
        struct form inside = {.start = form->start, .open = form->start + 1, .end = form->end};
        struct form_cursor cursor = form_inside(dialect, text, &inside);
        if (!form_next(&cursor, form) || !form_next(&cursor, form))
            return;
    }
}

static struct span without_quotes(const char *text, const struct form *form) {
    struct span name = whole(form);
    if (is_string(text, form) && name.len >= 2)
        return (struct span){name.at + 1, name.len - 2};
    while (name.len > 1 && strchr("'`#", text[name.at])) {
        if (text[name.at] == '#' && text[name.at + 1] != '\'' && text[name.at + 1] != ':')
            break;
        size_t n = text[name.at] == '#' ? 2 : 1;
        name.at += n;
        name.len -= n;
    }
    return name;
}

/* The name that the form PART of a definition gives: itself, or what begins the list. */
static struct span name_in(enum dialect dialect, const char *text, struct form part) {
    for (int depth = 0; depth < NAME_DEPTH; depth++) {
        struct form first;
        skip_metadata(dialect, text, &part);
        if (!is_list(&part) || text[part.open - 1] != '(')
            break;
        struct form_cursor cursor = form_inside(dialect, text, &part);
        if (!form_next(&cursor, &first) || span_is(text, whole(&first), "setf"))
            break;
        part = first;
    }
    return without_quotes(text, &part);
}

/* -- documentation ------------------------------------------------------------------------------
 */

static struct span first_line_of(const char *text, const struct form *string) {
    struct span line = {string->start + 1, string->end - string->start - 2};
    while (line.len > 0 && strchr(" \t\n\r", text[line.at])) {
        line.at++;
        line.len--;
    }
    const char *end = line.len > 0 ? memchr(text + line.at, '\n', line.len) : NULL;
    if (end)
        line.len = (size_t)(end - text) - line.at;
    return line;
}

/* `(:documentation "...")` */
static bool take_option_doc(enum dialect dialect, const char *text, const struct form *part,
                            struct span *doc) {
    struct form inside;
    struct form_cursor cursor = form_inside(dialect, text, part);
    if (!is_list(part) || !form_next(&cursor, &inside) ||
        !span_is(text, whole(&inside), ":documentation"))
        return false;
    if (form_next(&cursor, &inside) && is_string(text, &inside))
        *doc = first_line_of(text, &inside);
    return true;
}

static bool is_variable(const char *text, struct span kind) {
    static const char *const words[] = {"defvar",      "defparameter", "defconst", "defcustom",
                                        "defconstant", "defface",      "defgroup", "defvar-local"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (span_is(text, kind, words[i]))
            return true;
    return false;
}

/* Is the string PARTS[I] of N the documentation, or a value? */
static bool is_doc(enum dialect dialect, const char *text, const struct definition *d, size_t i,
                   size_t n) {
    if (is_variable(text, d->kind))
        return i == 3;
    if (dialect == DIALECT_CLOJURE)
        return i == 2 && (n > 3 || span_is(text, d->kind, "ns"));
    return i >= 3 ? i < 7 && (n > i + 1 || dialect != DIALECT_SCHEME)
                  : i == 2 && (n > 3 || span_contains(text, d->kind, "struct"));
}

static struct span doc_of(enum dialect dialect, const char *text, const struct definition *d,
                          const struct form *parts, size_t n) {
    struct span doc = {0};
    for (size_t i = 2; i < n && span_contains(text, d->kind, "def"); i++) {
        if (is_string(text, &parts[i]) && is_doc(dialect, text, d, i, n))
            return first_line_of(text, &parts[i]);
        if (dialect == DIALECT_COMMON_LISP && take_option_doc(dialect, text, &parts[i], &doc))
            return doc;
    }
    if (n > 2 && span_is(text, d->kind, "ns") && is_string(text, &parts[2]))
        doc = first_line_of(text, &parts[2]);
    return doc;
}

/* -- methods ------------------------------------------------------------------------------------
 */

static void take_method(struct definition *d, const struct form *parts, size_t n) {
    size_t i = 2;
    while (i < n && !is_list(&parts[i]))
        i++;
    if (i >= n)
        return;
    if (i > 2)
        d->qualifiers = (struct span){parts[2].start, parts[i - 1].end - parts[2].start};
    d->specializers = whole(&parts[i]);
}

struct definition definition_of(enum dialect dialect, const char *text, const struct form *form) {
    struct definition d = {0};
    struct form parts[PARTS_MOST];
    size_t n = 0;
    if (!is_list(form) || text[form->open - 1] != '(') {
        d.name = whole(form);
        return d;
    }
    struct form_cursor cursor = form_inside(dialect, text, form);
    while (n < PARTS_MOST && form_next(&cursor, &parts[n]))
        n++;
    if (n > 0 && !is_list(&parts[0]))
        d.kind = whole(&parts[0]);
    if (n > 1 && d.kind.len > 0)
        d.name = name_in(dialect, text, parts[1]);
    d.doc = doc_of(dialect, text, &d, parts, n);
    if (span_contains(text, d.kind, "method"))
        take_method(&d, parts, n);
    return d;
}

/* -- asking by name -----------------------------------------------------------------------------
 */

bool definition_is(enum dialect dialect, const char *text, struct span part, const char *word,
                   size_t n) {
    if (part.len != n)
        return false;
    return dialect == DIALECT_COMMON_LISP ? strncasecmp(text + part.at, word, n) == 0
                                          : n == 0 || memcmp(text + part.at, word, n) == 0;
}

/* PART behind the package of a symbol of Common Lisp: `name` of `package::name`, `:name`. */
static size_t package_length(const char *name, size_t n) {
    size_t colon = n;
    while (colon > 0 && name[colon - 1] != ':')
        colon--;
    return n > 0 && name[0] == '(' ? 0 : colon;
}

bool definition_is_named(enum dialect dialect, const char *text, const struct definition *d,
                         const char *word, size_t n) {
    struct span name = d->name;
    if (definition_is(dialect, text, name, word, n))
        return true;
    if (dialect != DIALECT_COMMON_LISP || name.len == 0)
        return false;
    size_t own = package_length(text + name.at, name.len), asked = package_length(word, n);
    /* Both with a package, and not the same one: another symbol. */
    if (own > 1 && asked > 1)
        return false;
    name = (struct span){name.at + own, name.len - own};
    return name.len > 0 && definition_is(dialect, text, name, word + asked, n - asked);
}
