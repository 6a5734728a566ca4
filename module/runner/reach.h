/* reach.h -- which files a command may reach, by the names of trees.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REACH_H
#define AQFS_REACH_H

#include <stdbool.h>
#include <stddef.h>

enum reachable { REACH_NOTHING, REACH_READING, REACH_WRITING };

/* It holds for PATH and all below it, but for paths with rules of their own. */
struct reach_rule {
    char *path; /* absolute and canonical */
    size_t length;
    enum reachable reach;
    bool directory; /* there is one, which is no link */
};

struct reach_rules {
    struct reach_rule *at;
    size_t n, cap;
};

/* Adds a rule; takes PATH over, also where it returns false because there is no memory. */
bool reach_add(struct reach_rules *rules, char *path, enum reachable reach);
void reach_free(struct reach_rules *rules);

/* Lets NAME be read only, in each tree that may be written, unless it is hidden there; false when
 * there is no memory. */
bool reach_guard(struct reach_rules *rules, const char *name);

/* The rule for the very PATH, or NULL. */
const struct reach_rule *reach_rule_at(const struct reach_rules *rules, const char *path,
                                       size_t length);

/* The reach that the rules give PATH. */
enum reachable reach_at(const struct reach_rules *rules, const char *path);

/* The rules for names below PATH, in short. */
struct reach_below {
    bool any;
    bool hidden;           /* one of them must not be read */
    bool hidden_directory; /* and is a directory, whose names must not be listed */
};
struct reach_below reach_below_of(const struct reach_rules *rules, const char *path, size_t length);

/* True where PATH is below another rule's. */
bool reach_is_inner(const struct reach_rules *rules, const struct reach_rule *rule);

#endif
