/* SPDX-License-Identifier: MIT */
/* table.c -- from the table's forms to cases.  Their meaning: cases/common.sexp: see table.h. */
#include "table.h"

#include "die.h"
#include "files.h"
#include "matrix.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct datum *table_definition(const struct table *t, const struct datum *name) {
    for (size_t i = 0; i < t->definitions->n; i++)
        if (is_word(t->definitions->items[i]->items[1], name->text))
            return t->definitions->items[i];
    die("line %d: nothing is defined as %s", name->line, name->text);
}

/* -- cases ------------------------------------------------------------------------------------ */

/* `*.plain` below an `each` of read_file is read-file.plain. */
static const char *case_name(struct table *t, const struct datum *word, const struct datum *op) {
    if (word->kind != DATUM_WORD || !strchr(word->text, '.'))
        die("line %d: expected a name such as group.case", word->line);
    if (word->text[0] != '*')
        return word->text;
    if (!op)
        die("line %d: %s stands outside of an `each`", word->line, word->text);
    struct buf name = {0};
    buf_str(&name, op->items[0]->text);
    for (size_t i = 0; i < name.len; i++)
        if (name.data[i] == '_')
            name.data[i] = '-';
    buf_str(&name, word->text + 1);
    const char *kept = arena_string(&t->arena, name.data, name.len);
    buf_free(&name);
    return kept;
}

static void check_clauses(const struct datum *form) {
    static const char *const known[] = {
        "threats", "not-in", "only",  "doors",   "tree", "options", "how",   "preview", "meanwhile",
        "call",    "reply",  "error", "refused", "any",  "folding", "never", "after"};
    for (size_t i = 2; is_form(form, "case") && i < form->n; i++) {
        bool good = false;
        for (size_t k = 0; k < sizeof known / sizeof *known; k++)
            good = good || is_form(form->items[i], known[k]);
        if (!good)
            die("line %d: not a clause of a case", form->items[i]->line);
    }
}

static void add_case(struct table *t, const struct datum *form, const struct datum *op) {
    if (form->n < 3)
        die("line %d: a case needs a name and clauses", form->line);
    check_clauses(form);
    const char *name = case_name(t, form->items[1], op);
    for (size_t i = 0; i < t->n; i++)
        if (strcmp(t->cases[i].name, name) == 0)
            die("line %d: there are two cases %s", form->line, name);
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 256;
        t->cases = realloc(t->cases, t->room * sizeof *t->cases);
        if (!t->cases)
            die("out of memory");
    }
    t->cases[t->n++] = (struct test_case){.name = name, .form = form, .op = op};
}

/* (each NAME CASE...), NAME being defined as operations: NAME or (NAME ARGUMENT...). */
static void add_each(struct table *t, const struct datum *form) {
    const struct datum *ops = table_definition(t, form->items[1]);
    for (size_t c = 2; c < form->n; c++) {
        for (size_t i = 2; i < ops->n; i++) {
            struct datum *op = ops->items[i];
            if (op->kind == DATUM_WORD) {
                struct datum *list = datum_list(&t->arena);
                datum_push(&t->arena, list, op);
                op = list;
            }
            add_case(t, form->items[c], op);
        }
    }
}

/* Of the cases that a matrix makes, each ONE_MADE_IN-th is taken, or each without it. */
static void add_made_case(struct table *t, const struct datum *form) {
    const char *given = getenv("ONE_MADE_IN");
    size_t one_in = given ? strtoul(given, NULL, 10) : 1;
    if (one_in == 0)
        die("ONE_MADE_IN: expected a number from 1, not %s", given);
    if (t->made++ % one_in == 0)
        add_case(t, form, NULL);
}

static void add_form(struct table *t, struct datum *form) {
    if (is_form(form, "define") && form->n > 2)
        datum_push(&t->arena, t->definitions, form);
    else if (is_form(form, "each") && form->n > 2)
        add_each(t, form);
    else if (is_form(form, "matrix") && form->n > 2)
        matrix_cases(t, form, add_made_case);
    else if (is_form(form, "case") || is_form(form, "glob"))
        add_case(t, form, NULL);
    else
        die("line %d: expected define, each, matrix, case or glob", form->line);
}

void table_add_file(struct table *t, const char *path) {
    struct buf text = {0};
    read_whole(path, &text);
    struct reader r = {
        .arena = &t->arena, .at = text.data, .end = text.data + text.len, .name = path, .line = 1};
    if (!t->definitions)
        t->definitions = datum_list(&t->arena);
    for (struct datum *form; (form = read_datum(&r)) != NULL;)
        add_form(t, form);
    buf_free(&text);
}

void table_free(struct table *t) {
    free(t->cases);
    arena_free(&t->arena);
}

const struct datum *case_clause(const struct test_case *c, const char *name) {
    for (size_t i = 2; i < c->form->n; i++)
        if (is_form(c->form->items[i], name))
            return c->form->items[i];
    return NULL;
}

/* -- texts ------------------------------------------------------------------------------------ */

static void add_code_point(struct buf *out, long c) {
    if (c < 0x80) {
        buf_char(out, (char)c);
        return;
    }
    if (c < 0x800) {
        buf_char(out, (char)(0xC0 | c >> 6));
    } else {
        buf_char(out, (char)(c < 0x10000 ? 0xE0 | c >> 12 : 0xF0 | c >> 18));
        if (c >= 0x10000)
            buf_char(out, (char)(0x80 | (c >> 12 & 0x3F)));
        buf_char(out, (char)(0x80 | (c >> 6 & 0x3F)));
    }
    buf_char(out, (char)(0x80 | (c & 0x3F)));
}

static bool is_text_form(const struct datum *d) {
    return is_form(d, "cat") || is_form(d, "lines") || is_form(d, "repeat") || is_form(d, "char") ||
           is_form(d, "root") || is_form(d, "base");
}

const char *root_text;

void add_text(struct buf *out, const struct datum *d, const char *base) {
    if (d->kind == DATUM_TEXT) {
        buf_add(out, d->text, d->len);
    } else if (d->kind == DATUM_NUMBER) {
        buf_char(out, (char)atoi(d->text));
    } else if (is_form(d, "root") && root_text) {
        buf_str(out, root_text);
    } else if (is_form(d, "root")) {
        buf_printf(out, "%s/project", base);
    } else if (is_form(d, "base")) {
        buf_str(out, base);
    } else if (is_form(d, "char") && d->n == 2) {
        add_code_point(out, atol(d->items[1]->text));
    } else if (is_form(d, "repeat") && d->n == 3) {
        for (long i = atol(d->items[2]->text); i > 0; i--)
            add_text(out, d->items[1], base);
    } else if (is_form(d, "cat") || is_form(d, "lines")) {
        for (size_t i = 1; i < d->n; i++) {
            add_text(out, d->items[i], base);
            if (is_form(d, "lines"))
                buf_char(out, '\n');
        }
    } else {
        die("line %d: expected a text", d->line);
    }
}

struct datum *evaluate(struct arena *a, const struct datum *d, const char *base) {
    if (is_text_form(d)) {
        struct buf text = {0};
        add_text(&text, d, base);
        struct datum *value = datum_new(a, DATUM_TEXT, text.len ? text.data : "", text.len);
        buf_free(&text);
        return value;
    }
    struct datum *copy = datum_new(a, d->kind, d->text, d->len);
    for (size_t i = 0; i < d->n; i++)
        datum_push(a, copy, evaluate(a, d->items[i], base));
    return copy;
}
