/* SPDX-License-Identifier: MIT */
/* table.h -- from the table's forms to cases.  Their meaning: cases/common.sexp. */
#ifndef CONFORMANCE_TABLE_H
#define CONFORMANCE_TABLE_H

#include "sexp.h"

struct test_case {
    const char *name;
    const struct datum *form; /* (case NAME CLAUSE...) or (glob NAME ...) */
    const struct datum *op;   /* what `*` stands for below an `each`: (OPERATION ARGUMENT...) */
};

struct table {
    struct arena arena;
    struct datum *definitions; /* a list of (define NAME ...) */
    struct test_case *cases;
    size_t n, room;
    size_t made; /* how many cases matrices have made, also those that were not taken */
};

const struct datum *table_definition(const struct table *t, const struct datum *name);
void table_add_file(struct table *t, const char *path);
void table_free(struct table *t);

/* The clause (NAME ...) of a case, or NULL. */
const struct datum *case_clause(const struct test_case *c, const char *name);

/* What (root) means where the root is not the directory that a case's tree is made in. */
extern const char *root_text;

/* Appends what a text or a form that stands for one means; BASE is where the case's trees are. */
void add_text(struct buf *out, const struct datum *d, const char *base);

/* D with every form that stands for a text replaced by it. */
struct datum *evaluate(struct arena *a, const struct datum *d, const char *base);

#endif
