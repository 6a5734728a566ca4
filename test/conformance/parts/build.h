/* SPDX-License-Identifier: MIT */
/* build.h -- the tree before a case, made from what the case says. */
#ifndef CONFORMANCE_BUILD_H
#define CONFORMANCE_BUILD_H

#include "table.h"

struct builder {
    const struct table *table;
    const char *base; /* what (base) and (root) mean, which need not be where it is built */
    int line;
};

/* Dies with the line of the entry that is being made, and what errno means, unless DONE. */
void must_build(const struct builder *b, bool done, const char *path);
/* Makes the entries of LIST from its item FROM on; with REPLACE, in the place of what is there. */
void build_entries(struct builder *b, const struct datum *list, size_t from, bool replace);

/* The files that a (glob ...) speaks of. */
void build_glob_files(const struct builder *b, const struct datum *form);

/* Makes DIRECTORY, and in it the tree of C; with AFTER, as it shall be afterwards. */
void build_tree(const struct table *t, const struct test_case *c, const char *directory,
                const char *base, bool after);

/* Does the case's deed of somebody else in DIRECTORY, between the preview and the call. */
void disturb_tree(const struct table *t, const struct test_case *c, const char *directory);

#endif
