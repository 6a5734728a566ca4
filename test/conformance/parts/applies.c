/* SPDX-License-Identifier: MIT */
/* applies.c -- which cases apply in memory and in a session, and why others do not: see applies.h.
 */
#include "applies.h"

#include "build.h"
#include "ready.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- which cases apply ------------------------------------------------------------------------ */

const char *const reasons[] = {
    [ABOUT_ROOTS] = "about finding or naming a directory of the person's",
    [ABOUT_OUTSIDE] = "about directories outside that are allowed",
    [NO_LINKS] = "about links, FIFOs, sockets, devices or other mounts",
    [NO_PERMISSIONS] = "about permissions, or times of access",
    [NOBODY_ELSE] = "about what others do meanwhile",
    [NEW_TIMES] = "about times that files had before",
    [TOO_BIG] = "about files larger than memory",
    [NOT_YET_NAMED] = "about the name of a directory that is made later",
    [SAID_SO] = "as the case says",
};

/* Is a list that begins with one of WORDS anywhere in D? */
static bool mentions(const struct table *t, const struct datum *d, const char *const *words,
                     size_t n) {
    bool found = false;
    for (size_t w = 0; d && w < n && !found; w++)
        found = is_form(d, words[w]) || ((d->kind == DATUM_WORD || d->kind == DATUM_TEXT) &&
                                         strcmp(d->text, words[w]) == 0);
    for (size_t i = 0; d && i < d->n && !found; i++)
        found = mentions(t, d->items[i], words, n);
    return found;
}

#define MENTIONS(t, d, ...)                                                                        \
    mentions(t, d, (const char *const[]){__VA_ARGS__},                                             \
             sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* The same in a tree, where a word is a definition's name. */
static bool has_entry(const struct table *t, const struct datum *list, size_t from,
                      const char *kind) {
    bool found = false;
    for (size_t i = from; list && i < list->n && !found; i++) {
        const struct datum *e = list->items[i];
        found = e->kind == DATUM_WORD ? has_entry(t, table_definition(t, e), 2, kind)
                                      : is_form(e, kind);
    }
    return found;
}

static bool tree_has(const struct table *t, const struct test_case *c, const char *kind) {
    return has_entry(t, case_clause(c, "tree"), 1, kind) ||
           has_entry(t, case_clause(c, "after"), 1, kind);
}

static bool mentions_in_case(const struct table *t, const struct test_case *c, const char *word) {
    return mentions(t, c->form, &word, 1) || (c->op && mentions(t, c->op, &word, 1));
}

/* A place that is allowed besides must be in the workspace, and need not be there. */
static bool allows_outside(const struct table *t, const struct datum *options) {
    const struct datum *allowed = options ? plist_get(options, 1, ":allowed_paths") : NULL;
    return allowed && MENTIONS(t, allowed, "base", "../lib", "none", "a.txt");
}

enum reason reason_for_both(const struct table *t, const struct test_case *c) {
    const struct datum *options = case_clause(c, "options");
    if (MENTIONS(t, options, ":root", ":start", ":cwd", ":asdf_root", ":sly_directory", ":backend"))
        return ABOUT_ROOTS;
    if (MENTIONS(t, options, "unrestricted", ":home") || allows_outside(t, options))
        return ABOUT_OUTSIDE;
    return APPLIES;
}

bool is_not_in(const struct test_case *c, const char *backend) {
    const struct datum *clause = case_clause(c, "not-in");
    for (size_t i = 1; clause && i < clause->n; i++) {
        if (!is_form(clause->items[i], backend))
            continue;
        printf("%s: %s does not apply: %s\n", backend, c->name, clause->items[i]->items[1]->text);
        return true;
    }
    return false;
}

enum reason reason_in_memory(const struct table *t, const struct test_case *c) {
    static const char *const kinds[] = {"link", "hardlink", "fifo", "socket", "device", "chain"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (tree_has(t, c, kinds[i]))
            return NO_LINKS;
    if (tree_has(t, c, "mode") ||
        MENTIONS(t, c->form, ":permissions", ":links", ":accessed", ":mode"))
        return NO_PERMISSIONS;
    if (tree_has(t, c, "mtime"))
        return NEW_TIMES;
    if (tree_has(t, c, "sparse"))
        return TOO_BIG;
    if (case_clause(c, "meanwhile"))
        return NOBODY_ELSE;
    return mentions_in_case(t, c, "base") ? ABOUT_ROOTS : APPLIES;
}

enum reason reason_in_session(const struct table *t, const struct test_case *c) {
    return MENTIONS(t, case_clause(c, "options"), "root", "base") ? NOT_YET_NAMED : APPLIES;
}
