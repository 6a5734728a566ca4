/* reach.c -- which files a command may reach: see reach.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reach.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define RULES_MOST 65536

bool reach_add(struct reach_rules *rules, char *path, enum reachable reach) {
    struct stat info;
    if (rules->n == rules->cap) {
        size_t cap = rules->cap ? 2 * rules->cap : 64;
        struct reach_rule *at = cap > RULES_MOST ? NULL : realloc(rules->at, cap * sizeof *at);
        if (!at) {
            free(path);
            return false;
        }
        rules->at = at;
        rules->cap = cap;
    }
    rules->at[rules->n++] = (struct reach_rule){path, strlen(path), reach,
                                                reach == REACH_NOTHING && lstat(path, &info) == 0 &&
                                                    S_ISDIR(info.st_mode)};
    return true;
}

void reach_free(struct reach_rules *rules) {
    for (size_t i = 0; i < rules->n; i++)
        free(rules->at[i].path);
    free(rules->at);
    *rules = (struct reach_rules){0};
}

static bool rule_is_below(const struct reach_rule *rule, const char *path, size_t length) {
    if (length == 1) /* the root */
        return rule->length > 1;
    return rule->length > length && rule->path[length] == '/' &&
           memcmp(rule->path, path, length) == 0;
}

const struct reach_rule *reach_rule_at(const struct reach_rules *rules, const char *path,
                                       size_t length) {
    for (size_t i = 0; i < rules->n; i++)
        if (rules->at[i].length == length && memcmp(rules->at[i].path, path, length) == 0)
            return &rules->at[i];
    return NULL;
}

struct reach_below reach_below_of(const struct reach_rules *rules, const char *path,
                                  size_t length) {
    struct reach_below below = {0};
    for (size_t i = 0; i < rules->n; i++) {
        const struct reach_rule *rule = &rules->at[i];
        if (!rule_is_below(rule, path, length))
            continue;
        below.any = true;
        if (rule->reach != REACH_NOTHING)
            continue;
        below.hidden = true;
        below.hidden_directory |= rule->directory;
    }
    return below;
}

bool reach_is_inner(const struct reach_rules *rules, const struct reach_rule *rule) {
    for (size_t i = 0; i < rules->n; i++)
        if (rule_is_below(rule, rules->at[i].path, rules->at[i].length))
            return true;
    return false;
}

/* The rule that holds for PATH: the innermost one that it is at or below. */
static const struct reach_rule *rule_for(const struct reach_rules *rules, const char *path) {
    const struct reach_rule path_rule = {.path = (char *)path, .length = strlen(path)};
    const struct reach_rule *found = reach_rule_at(rules, path, path_rule.length);
    for (size_t i = 0; i < rules->n; i++)
        if (rule_is_below(&path_rule, rules->at[i].path, rules->at[i].length) &&
            (!found || rules->at[i].length > found->length))
            found = &rules->at[i];
    return found;
}

enum reachable reach_at(const struct reach_rules *rules, const char *path) {
    const struct reach_rule *rule = rule_for(rules, path);
    return rule ? rule->reach : REACH_NOTHING;
}

bool reach_guard(struct reach_rules *rules, const char *name) {
    for (size_t i = 0, n = rules->n; i < n; i++) {
        size_t size = rules->at[i].length + strlen(name) + 2;
        if (rules->at[i].reach != REACH_WRITING)
            continue;
        char *path = malloc(size);
        if (!path)
            return false;
        (void)snprintf(path, size, "%s/%s", rules->at[i].length > 1 ? rules->at[i].path : "", name);
        if (reach_at(rules, path) != REACH_WRITING)
            free(path);
        else if (!reach_add(rules, path, REACH_READING))
            return false;
    }
    return true;
}
