/* rules.h -- which places may be touched: restricted_paths and allowed_paths.
 *
 * A rule covers its path and everything below.  Of the rules that cover a path
 * the one with the most components decides; on a tie, deny wins.  A configured
 * path is added twice, as it was spelled and as its links resolved, and need not
 * exist yet.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_RULES_H
#define AQFS_RULES_H

#include <stdbool.h>
#include <stddef.h>

struct rule {
    char *path; /* absolute, without trailing slash */
    size_t len;
    bool deny;
    bool folds; /* names that differ in the case of ASCII letters are the same to its directory */
    bool state; /* it is our state directory, where a project's files may have second names */
};

struct rules {
    struct rule *rules;
    size_t n;
    bool any_deny; /* false: nothing is denied */
};

/* Adds a rule for PATH, which is copied; false without memory. */
bool rules_add(struct rules *r, const char *path, size_t n, bool deny);
void rules_free(struct rules *r);

/* Is the absolute PATH denied? */
bool rules_deny(const struct rules *r, const char *path, size_t n);

/* Is any deny rule for a path strictly below PATH? */
bool rules_deny_below(const struct rules *r, const char *path, size_t n);

#endif
