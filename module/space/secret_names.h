/* secret_names.h -- the names of files that hold secrets, with the reasons.
 *
 * This is the one list of them: doc/secrets.org is written from it, by way of the
 * catalogue.  It names what programs keep passwords, tokens and private keys in.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_SECRET_NAMES_H
#define AQFS_SECRET_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct secret_group {
    const char *title, *reason;
};

enum secret_group_number {
    OF_ENV_FILES,
    OF_KEYS,
    OF_LOGINS,
    OF_REGISTRIES,
    OF_CLOUDS,
    OF_PASSWORD_STORES,
    OF_PROJECTS,
    OF_HISTORIES,
    OF_CRASHES,
    SECRET_GROUP_COUNT
};
extern const struct secret_group secret_groups[SECRET_GROUP_COUNT];

enum secret_kind {
    SECRET_FILE, /* a file of that name */
    SECRET_BARE, /* the same, without a dot in its name */
    SECRET_TREE  /* a file of that name, and all below a directory of that name */
};

/* In a pattern, `*` stands for any characters. */
struct secret_name {
    const char *pattern; /* in lower case */
    const char *above;   /* the name of the directory in which it counts; NULL: any */
    enum secret_kind kind;
    enum secret_group_number group;
};
extern const struct secret_name secret_names[];
extern const size_t secret_name_count;

/* Patterns of files that are no secrets although a pattern above is theirs. */
struct open_name {
    const char *pattern;
    enum secret_group_number group;
};
extern const struct open_name open_names[];
extern const size_t open_name_count;

/* The group that says why NAME is secret in a directory called ABOVE, or NULL.  Both are folded
 * (folded_name.h).  IS_FILE: it is the last name of a path, and not that of a directory. */
const struct secret_group *secret_of_name(const char *name, const char *above, bool is_file);

/* Is NAME that of a copy which editors and other programs make of a file beside it: #x#, x~, x.~1~,
 * .x.swp, x.bak, x.orig, x.old?  Then that file's name are the *LEN bytes of it from *AT on. */
bool secret_name_copied(const char *name, size_t n, size_t *at, size_t *len);

/* Does PATTERN match the whole NAME? */
bool secret_pattern_matches(const char *pattern, const char *name);

#endif
