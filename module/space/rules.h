/* rules.h -- which places may be touched: restricted_paths and allowed_paths.
 *
 * The deepest rule that a path lies under decides, component by component; on
 * a tie, deny wins.  A rule holds for the spelling it was given and for what
 * that spelling resolved to, and also for names that do not exist yet.
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
};

struct rules {
    struct rule *rules;
    size_t n;
    bool any_deny; /* false: nothing to judge */
};

/* Copies PATH; false when there is no memory. */
bool rules_add(struct rules *r, const char *path, size_t n, bool deny);
void rules_free(struct rules *r);

/* Is the absolute path denied? */
bool rules_deny(const struct rules *r, const char *path, size_t n);

/* Does any deny rule lie strictly below PATH? */
bool rules_deny_below(const struct rules *r, const char *path, size_t n);

#endif
