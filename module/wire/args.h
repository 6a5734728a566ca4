/* args.h -- from a request's JSON to checked values, by the operation's row.
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

enum param_type {
    PARAM_STRING,  /* any text, may be empty */
    PARAM_PATH,    /* text that passes path_accept when it is used */
    PARAM_INTEGER, /* also an integral float, as models send it */
    PARAM_BOOLEAN, /* true, false; null is false */
    PARAM_STRINGS, /* a list of strings, also as a JSON-string array */
    PARAM_EDITS,   /* a list of {"old_str": ..., "new_str": ...}: two elements of `list` each */
    PARAM_CHOICE,  /* one of the words of `choices` */
};

struct param {
    const char *name; /* underscores */
    enum param_type type;
    bool required;
    const char *standard; /* the default as JSON text; NULL: absent */
    int64_t least, most;  /* of an integer */
    const char *choices;  /* "a|b|c" of a choice */
    const char *doc;
};

struct text_ref {
    const char *data;
    size_t len;
};

static inline bool text_ref_equal(struct text_ref a, struct text_ref b) {
    return a.len == b.len && (a.len == 0 || memcmp(a.data, b.data, a.len) == 0);
}

/* A checked argument.  Strings belong to the request's JSON (or to the default's). */
struct value {
    bool given; /* by the caller; a default alone leaves it false */
    bool known; /* given or defaulted */
    int64_t integer;
    bool boolean;
    struct text_ref text; /* also the word of a choice */
    struct text_ref *list;
    size_t count;
    json_t *parsed; /* owner of what was parsed from a JSON string or a default */
};

/* Decodes ARGS (an object or NULL) into VALUES, one for each of the N PARAMS.  Unknown, missing,
 * ill-typed and out-of-range arguments are AQFS_INVALID_ARGUMENT, naming the parameter and what
 * was expected.  Call args_free in either case. */
int args_decode(const struct param *params, size_t n, const json_t *args, struct value *values,
                struct error *e);
void args_free(struct value *values, size_t n);

/* "a list", "an integer": what a message says was got. */
const char *json_type_word(const json_t *v);

#endif
