/* SPDX-License-Identifier: MIT */
/* sexp.c -- the syntax that Emacs, Common Lisp and this file read alike: see sexp.h. */
#include "sexp.h"

#include "die.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct datum *datum_new(struct arena *a, enum datum_kind kind, const char *text, size_t len) {
    struct datum *d = arena_take(a, sizeof *d);
    char *copy = arena_string(a, text, len);
    if (!d || !copy)
        die("out of memory");
    *d = (struct datum){.kind = kind, .text = copy, .len = len};
    return d;
}

struct datum *datum_list(struct arena *a) {
    return datum_new(a, DATUM_LIST, "", 0);
}

void datum_push(struct arena *a, struct datum *list, struct datum *item) {
    if ((list->n & (list->n - 1)) == 0) { /* full at each power of two */
        struct datum **items = arena_take(a, (list->n ? 2 * list->n : 1) * sizeof *items);
        if (!items)
            die("out of memory");
        if (list->n > 0)
            memcpy(items, list->items, list->n * sizeof *items);
        list->items = items;
    }
    list->items[list->n++] = item;
}

/* -- reading ---------------------------------------------------------------------------------- */

static struct datum *read_fault(const struct reader *r, const char *what) {
    if (r->name)
        die("%s:%d: %s", r->name, r->line, what);
    return NULL;
}

static void skip_blanks(struct reader *r) {
    bool comment = false;
    for (; r->at < r->end; r->at++) {
        char c = *r->at;
        comment = c == ';' || (comment && c != '\n');
        if (!comment && !isspace((unsigned char)c))
            return;
        r->line += c == '\n';
    }
}

static struct datum *read_text(struct reader *r) {
    struct buf text = {0};
    for (r->at++; r->at < r->end && *r->at != '"'; r->at++) {
        if (*r->at == '\\' && ++r->at < r->end && *r->at != '"' && *r->at != '\\') {
            buf_free(&text);
            return read_fault(r, "only \\\" and \\\\ are escapes");
        }
        if (r->at == r->end)
            break;
        r->line += *r->at == '\n';
        buf_char(&text, *r->at);
    }
    if (r->at == r->end) {
        buf_free(&text);
        return read_fault(r, "a text has no end");
    }
    r->at++;
    struct datum *d = datum_new(r->arena, DATUM_TEXT, text.len ? text.data : "", text.len);
    buf_free(&text);
    return d;
}

#define WORD_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789-+_.*"

static bool is_number(const char *text, size_t n) {
    size_t i = n > 1 && (text[0] == '-' || text[0] == '+');
    return i < n && isdigit((unsigned char)text[i]) && strspn(text + i, "0123456789.") >= n - i;
}

static struct datum *read_word(struct reader *r) {
    const char *start = r->at;
    while (r->at < r->end && !isspace((unsigned char)*r->at) && !strchr("()\";", *r->at))
        r->at++;
    size_t n = (size_t)(r->at - start);
    size_t colon = n > 0 && *start == ':';
    if (n == colon || strspn(start + colon, WORD_CHARACTERS) < n - colon)
        return read_fault(r, "not a word that Emacs and Common Lisp read alike");
    return datum_new(r->arena, is_number(start, n) ? DATUM_NUMBER : DATUM_WORD, start, n);
}

static struct datum *read_list(struct reader *r) {
    struct datum *list = datum_list(r->arena);
    for (r->at++;;) {
        skip_blanks(r);
        if (r->at == r->end)
            return read_fault(r, "a list has no end");
        if (*r->at == ')')
            break;
        struct datum *item = read_datum(r);
        if (!item)
            return NULL;
        datum_push(r->arena, list, item);
    }
    r->at++;
    return list;
}

struct datum *read_datum(struct reader *r) {
    skip_blanks(r);
    if (r->at == r->end)
        return NULL;
    int line = r->line;
    struct datum *d = *r->at == '(' ? read_list(r) : *r->at == '"' ? read_text(r) : read_word(r);
    if (d)
        d->line = line;
    return d;
}

/* -- asking and printing ---------------------------------------------------------------------- */

bool is_word(const struct datum *d, const char *word) {
    return d && d->kind == DATUM_WORD && strcmp(d->text, word) == 0;
}

bool is_keyword(const struct datum *d) {
    return d && d->kind == DATUM_WORD && d->text[0] == ':';
}

bool is_nil(const struct datum *d) {
    return is_word(d, "nil") || (d && d->kind == DATUM_LIST && d->n == 0);
}

bool is_form(const struct datum *d, const char *word) {
    return d && d->kind == DATUM_LIST && d->n > 0 && is_word(d->items[0], word);
}

struct datum *plist_get(const struct datum *plist, size_t from, const char *key) {
    for (size_t i = from; plist && i + 1 < plist->n; i += 2)
        if (is_word(plist->items[i], key))
            return plist->items[i + 1];
    return NULL;
}

void print_datum(struct buf *out, const struct datum *d) {
    switch (d->kind) {
    case DATUM_LIST:
        buf_char(out, '(');
        for (size_t i = 0; i < d->n; i++) {
            if (i > 0)
                buf_char(out, ' ');
            print_datum(out, d->items[i]);
        }
        buf_char(out, ')');
        break;
    case DATUM_TEXT:
        buf_char(out, '"');
        for (size_t i = 0; i < d->len; i++) {
            if (d->text[i] == '"' || d->text[i] == '\\')
                buf_char(out, '\\');
            buf_char(out, d->text[i]);
        }
        buf_char(out, '"');
        break;
    case DATUM_NUMBER:
    case DATUM_WORD:
        buf_add(out, d->text, d->len);
        break;
    }
}
