/* SPDX-License-Identifier: MIT */
/* applies.h -- which cases apply in memory and in a session, and why others do not. */
#ifndef CONFORMANCE_APPLIES_H
#define CONFORMANCE_APPLIES_H

#include "table.h"

enum reason {
    APPLIES,
    ABOUT_ROOTS,
    ABOUT_OUTSIDE,
    NO_LINKS,
    NO_PERMISSIONS,
    NOBODY_ELSE,
    NEW_TIMES,
    TOO_BIG,
    NOT_YET_NAMED,
    SAID_SO,
    REASONS
};

extern const char *const reasons[];

enum reason reason_for_both(const struct table *t, const struct test_case *c);

/* (not-in (BACKEND REASON)...) */
bool is_not_in(const struct test_case *c, const char *backend);
enum reason reason_in_memory(const struct table *t, const struct test_case *c);
enum reason reason_in_session(const struct table *t, const struct test_case *c);

#endif
