/* SPDX-License-Identifier: MIT */
/* ready.h -- a case with its texts evaluated for where it runs. */
#ifndef CONFORMANCE_READY_H
#define CONFORMANCE_READY_H

#include "table.h"

struct score {
    int passed, failed, skipped;
};

/* Are the trees where letter case is folded?  Only there are cases with (folding) wanted, and no
 * others. */
extern bool case_folds;

/* Is $T a part of its name? */
bool is_wanted(const struct test_case *c);

/* A case for root is skipped for others, and the other way round. */
bool runs_here(const struct test_case *c, const char *door);

/* A case with its texts evaluated for where it runs. */
struct ready {
    struct arena arena;
    const struct test_case *c;
    const char *base;
    const struct table *table;
    struct datum *options, *how, *shown, *call, *want, *never; /* each but `want` may be NULL */
    const char *how_run;                                       /* for reports */
    /* Does what others do meanwhile in the directory `disturbed`, where that is not the usual. */
    void (*disturb)(const struct table *t, const struct test_case *c, const char *base,
                    const char *disturbed);
    const char *disturbed;
};

struct datum *ready_clause(struct ready *r, const char *name);
struct datum *new_word(struct arena *a, const char *text);
struct ready ready_case(const struct table *t, const struct test_case *c, const char *base,
                        const char *resolver);

#endif
