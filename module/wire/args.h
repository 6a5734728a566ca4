/* args.h -- decoding a request's JSON into checked values, by an operation's parameters.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_ARGS_H
#define AQFS_ARGS_H

#include "error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* X(constant, the name in the catalogue) */
#define PARAM_TYPES(X)                                                                             \
    X(STRING, "string")   /* any text, may be empty */                                             \
    X(PATH, "path")       /* text that passes path_accept when it is used */                       \
    X(INTEGER, "integer") /* also an integral float, as models send it */                          \
    X(BOOLEAN, "boolean") /* true or false */                                                      \
    X(STRINGS, "strings") /* a list of strings, or a string that holds such a JSON list */         \
    X(EDITS, "edits")     /* a list of objects with `members` */                                   \
    X(CHOICE, "choice")   /* one of the words of `choices` */                                      \
    X(OBJECT, "object")   /* an object, which the operation decodes */                             \
    X(OBJECTS, "objects") /* a list of objects, which the operation decodes */

#define X(constant, name) PARAM_##constant,
enum param_type { PARAM_TYPES(X) PARAM_TYPE_COUNT };
#undef X

const char *param_type_name(enum param_type type);

struct param {
    const char *name; /* with underscores */
    enum param_type type;
    bool required;
    const char *unless;   /* a parameter that may be given in place of a required one, or NULL */
    const char *standard; /* the default as JSON text, or NULL */
    int64_t least, most;  /* of an integer */
    const char *choices;  /* "a|b|c" of a choice */
    bool lone;            /* of a list of strings: a string alone is one with that element */
    const struct param *members; /* of each of a list of edits */
    size_t member_n;
    const char *doc;
};

struct params {
    const struct param *all;
    size_t n;
};

struct text_ref {
    const char *data;
    size_t len;
};

static inline bool text_ref_equal(struct text_ref a, struct text_ref b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

static inline bool text_has_cr(struct text_ref t) {
    return t.len > 0 && memchr(t.data, '\r', t.len);
}

/* The members of an edit of a text, in the order of `edit_params`. */
enum edit_member { EDIT_OLD_STR, EDIT_NEW_STR, EDIT_REPLACE_ALL, EDIT_EXPECTED, EDIT_MEMBER_COUNT };
extern const struct param edit_params[EDIT_MEMBER_COUNT];

#define EDIT_OLD_STR_WORDS "The exact text to replace; it must occur exactly once."
#define EDIT_NEW_STR_WORDS "The text to put in its place."
#define EDIT_REPLACE_ALL_WORDS "Replace every occurrence of old_str."
#define EDIT_EXPECTED_WORDS "Replace every occurrence of old_str if there are this many, else none."
#define EDIT_EXPECTED_MOST INT32_MAX

/* A checked argument.  Its strings belong to the request's JSON or to `parsed`. */
struct value {
    bool given; /* the caller gave it; not set for a default */
    bool known; /* given or defaulted */
    int64_t integer;
    bool boolean;
    struct text_ref text; /* also the word of a choice */
    struct text_ref *list;
    struct value *members; /* `member_n` of each edit, one edit after the other */
    size_t member_n;
    size_t count;       /* of `list`, or of edits */
    const json_t *json; /* an object or objects, in the request */
    json_t *parsed;     /* owns what was parsed from a JSON string or a default */
};

/* Decodes ARGS (an object or NULL) into VALUES, one for each of the N PARAMS. AQFS_INVALID_ARGUMENT
 * for an unknown, missing, ill-typed or out-of-range argument; the message names the parameter and
 * what was expected.  Call args_free in either case. */
int args_decode(const struct param *params, size_t n, const json_t *args, struct value *values,
                struct error *e);
void args_free(struct value *values, size_t n);

/* How many bytes the texts among N VALUES have. */
size_t args_size(const struct value *values, size_t n);

/* The type of V as messages name it: "a list", "an integer". */
const char *json_type_word(const json_t *v);

#endif
