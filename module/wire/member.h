/* member.h -- declaring the members of replies.
 *
 * A declaration is data: the catalogue prints it, and tests check every reply
 * against it.  The code that writes replies does not read it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_MEMBER_H
#define AQFS_MEMBER_H

#include "key.h"

#include <stdbool.h>

/* X(constant, the name in the catalogue) */
#define MEMBER_TYPES(X)                                                                            \
    X(STRING, "string")                                                                            \
    X(PATH, "path") /* as path_show writes it */                                                   \
    X(INTEGER, "integer")                                                                          \
    X(BOOLEAN, "boolean")                                                                          \
    X(KEYWORD, "keyword") /* one of `choices`: a keyword to both Lisps */                          \
    X(TIME, "time")       /* ISO 8601 in UTC */                                                    \
    X(DIGEST, "digest")   /* a hash, in hexadecimal digits */                                      \
    X(LIST, "list")                                                                                \
    X(MAP, "map")                                                                                  \
    X(ANY, "any")

#define X(constant, name) MEMBER_##constant,
enum member_type { MEMBER_TYPES(X) MEMBER_TYPE_COUNT };
#undef X

struct member {
    const char *name; /* as in key.h; NULL ends an array */
    enum member_type type;
    bool optional; /* absent where it does not apply */
    bool nullable;
    const char *choices;          /* "a|b|c" of a keyword, or of a string */
    const struct member *of;      /* the elements of a list, without a name */
    const struct member *members; /* of a map */
    const char *like; /* instead of `members`: the name of a reply with the same members */
    const char *doc;
};

/* A reply that does not belong to one operation. */
struct known_reply {
    const char *name;
    const struct member *members;
    const char *doc;
};

/* MEMBER(START_LINE, INTEGER, .doc = "The first line shown.") */
#define MEMBER(word, kind, ...)                                                                    \
    { .name = KEY_##word, .type = MEMBER_##kind, __VA_ARGS__ }
#define LAST_MEMBER                                                                                \
    { .name = NULL }
#define LIST_OF(kind)                                                                              \
    .of = &(const struct member) {                                                                 \
        .type = MEMBER_##kind                                                                      \
    }
#define LIST_OF_MAPS(array)                                                                        \
    .of = &(const struct member) {                                                                 \
        .type = MEMBER_MAP, .members = array                                                       \
    }
#define LIST_OF_LIKE(reply)                                                                        \
    .of = &(const struct member) {                                                                 \
        .type = MEMBER_MAP, .like = reply                                                          \
    }

const char *member_type_name(enum member_type type);

#endif
