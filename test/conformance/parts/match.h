/* SPDX-License-Identifier: MIT */
/* match.h -- whether a reply is the one that a case expects. */
#ifndef CONFORMANCE_MATCH_H
#define CONFORMANCE_MATCH_H

#include "sexp.h"

#include <jansson.h>

/* A JSON reply as the data of an s-expression: keys with hyphens, false and null nil. */
struct datum *datum_of_json(struct arena *a, const json_t *v);

struct match {
    bool json;        /* keywords have become strings */
    struct buf where; /* ":entries 2 :size", once there is a difference */
};

/* WANT is (reply :KEY VALUE...), (error CODE PART... :KEY VALUE...), where the parts are parts of
 * the message, (refused CODE...), an error with one of these codes, or (any). */
bool match_outcome(struct match *m, const struct datum *want, const struct datum *got);

#endif
