/* rules.c -- which places may be touched: restricted_paths and allowed_paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rules.h"

#include "path.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool rules_add(struct rules *r, const char *path, size_t n, bool deny) {
    struct rule *grown = realloc(r->rules, (r->n + 1) * sizeof *grown);
    if (!grown)
        return false;
    r->rules = grown;
    char *copy = strndup(path, n);
    if (!copy)
        return false;
    r->rules[r->n++] = (struct rule){.path = copy, .len = n, .deny = deny};
    r->any_deny = r->any_deny || deny;
    return true;
}

void rules_free(struct rules *r) {
    for (size_t i = 0; i < r->n; i++)
        free(r->rules[i].path);
    free(r->rules);
    *r = (struct rules){0};
}

/* Is PATH the path of RULE or below it?  Elsewhere than in ASCII, folded letters are left to those
 * who know the file that a name leads to (host/hidden.h). */
static bool covers(const struct rule *rule, const char *path, size_t n) {
    if (!rule->folds)
        return path_is_below(path, n, rule->path, rule->len);
    return n >= rule->len && strncasecmp(path, rule->path, rule->len) == 0 &&
           (n == rule->len || rule->len == 0 || path[rule->len] == '/');
}

/* Is the path of RULE below PATH? */
static bool is_inside(const struct rule *rule, const char *path, size_t n) {
    if (!rule->folds)
        return path_is_below(rule->path, rule->len, path, n);
    return n == 0 || (strncasecmp(rule->path, path, n) == 0 && rule->path[n] == '/');
}

bool rules_deny(const struct rules *r, const char *path, size_t n) {
    if (!r->any_deny)
        return false;
    bool deny = false;
    size_t deepest = 0;
    for (size_t i = 0; i < r->n; i++) {
        const struct rule *rule = &r->rules[i];
        if (rule->len < deepest || !covers(rule, path, n))
            continue;
        deny = rule->len > deepest ? rule->deny : deny || rule->deny;
        deepest = rule->len;
    }
    return deny;
}

bool rules_deny_below(const struct rules *r, const char *path, size_t n) {
    for (size_t i = 0; i < r->n; i++) {
        const struct rule *rule = &r->rules[i];
        if (rule->deny && rule->len > n && is_inside(rule, path, n))
            return true;
    }
    return false;
}
