/* SPDX-License-Identifier: MIT */
/* ready.c -- a case with its texts evaluated for where it runs: see ready.h. */
#include "ready.h"

#include "die.h"
#include "files.h"
#include "select.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool names_include(const struct datum *clause, const char *word) {
    for (size_t i = 1; clause && i < clause->n; i++)
        if (is_word(clause->items[i], word))
            return true;
    return !clause;
}

bool case_folds;

bool is_wanted(const struct test_case *c) {
    return is_selected("%s", c->name) && (case_clause(c, "folding") != NULL) == case_folds;
}

bool runs_here(const struct test_case *c, const char *door) {
    return names_include(case_clause(c, "only"), geteuid() == 0 ? "root" : "nobody") &&
           names_include(case_clause(c, "doors"), door);
}

struct datum *ready_clause(struct ready *r, const char *name) {
    const struct datum *clause = case_clause(r->c, name);
    return clause ? evaluate(&r->arena, clause, r->base) : NULL;
}

static struct datum *new_number(struct arena *a, size_t n) {
    char text[24];
    int length = snprintf(text, sizeof text, "%zu", n);
    return datum_new(a, DATUM_NUMBER, text, (size_t)length);
}

struct datum *new_word(struct arena *a, const char *text) {
    return datum_new(a, DATUM_WORD, text, strlen(text));
}

/* What (glob NAME PATTERN (MATCHING...) (OTHER...)) asks of search_files. */
static void ready_glob(struct ready *r) {
    struct arena *a = &r->arena;
    struct datum *pattern = evaluate(a, r->c->form->items[2], r->base);
    struct datum *paths = evaluate(a, r->c->form->items[3], r->base);
    r->call = datum_list(a);
    datum_push(a, r->call, new_word(a, "call"));
    datum_push(a, r->call, new_word(a, "search_files"));
    datum_push(a, r->call, new_word(a, ":pattern"));
    datum_push(a, r->call, pattern);
    datum_push(a, r->call, new_word(a, ":exclude_patterns"));
    datum_push(a, r->call, datum_list(a));
    r->want = datum_list(a);
    datum_push(a, r->want, new_word(a, "reply"));
    datum_push(a, r->want, new_word(a, ":paths"));
    datum_push(a, r->want, paths);
    datum_push(a, r->want, new_word(a, ":total"));
    datum_push(a, r->want, new_number(a, paths->n));
}

/* In (call * ...) below an `each`, `*` is an operation and arguments of its own. */
static void fill_in_op(struct ready *r, struct datum *call) {
    if (!call || call->n < 2 || !is_word(call->items[1], "*"))
        return;
    if (!r->c->op)
        die("%s: * stands outside of an `each`", r->c->name);
    struct datum *op = evaluate(&r->arena, r->c->op, r->base);
    call->items[1] = op->items[0];
    for (size_t i = 1; i < op->n; i++)
        datum_push(&r->arena, call, op->items[i]);
}

static void add_option(struct ready *r, const char *key, const char *value) {
    if (plist_get(r->options, 1, key))
        return;
    datum_push(&r->arena, r->options, new_word(&r->arena, key));
    datum_push(&r->arena, r->options, datum_new(&r->arena, DATUM_TEXT, value, strlen(value)));
}

static void complete_options(struct ready *r, const char *resolver) {
    char *root = path_of("%s/project", r->base);
    if (!r->options) {
        r->options = datum_list(&r->arena);
        datum_push(&r->arena, r->options, new_word(&r->arena, "options"));
    }
    if (!plist_get(r->options, 1, ":backend"))
        add_option(r, ":root", root);
    add_option(r, ":resolver", resolver);
    free(root);
}

struct ready ready_case(const struct table *t, const struct test_case *c, const char *base,
                        const char *resolver) {
    struct ready r = {.c = c, .base = base, .table = t};
    r.options = ready_clause(&r, "options");
    complete_options(&r, resolver);
    r.never = ready_clause(&r, "never");
    r.how = ready_clause(&r, "how");
    if (is_form(c->form, "glob")) {
        ready_glob(&r);
        return r;
    }
    r.call = ready_clause(&r, "call");
    fill_in_op(&r, r.call);
    r.shown = ready_clause(&r, "preview");
    fill_in_op(&r, r.shown);
    r.want = ready_clause(&r, "reply");
    if (!r.want)
        r.want = ready_clause(&r, "error");
    if (!r.want)
        r.want = ready_clause(&r, "refused");
    if (!r.want)
        r.want = ready_clause(&r, "any");
    if (!r.want || (r.want->n < 2 && !is_form(r.want, "any")))
        die("%s: expects neither a reply nor an error", c->name);
    return r;
}
