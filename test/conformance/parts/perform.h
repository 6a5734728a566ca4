/* SPDX-License-Identifier: MIT */
/* perform.h -- making the call of a case, and judging what it answers. */
#ifndef CONFORMANCE_PERFORM_H
#define CONFORMANCE_PERFORM_H

#include "aqfs.h"
#include "ready.h"

#include <jansson.h>

/* The plist in D that begins at FROM, as an object. */
json_t *json_of_plist(const struct datum *d, size_t from);

/* Opens the workspace of the case; *WS is NULL where the reply says why there is none. */
aqfs_reply *open_workspace(const struct ready *r, int format, aqfs_workspace **ws);

/* Takes REQUEST. */
aqfs_reply *ask(aqfs_workspace *ws, json_t *request, int format);

/* (how :authority WORD), (how :preview t), (how :digest TEXT), or (how :approved t): previewed
 * first, and committed with the digest of that. */
aqfs_reply *call(const struct ready *r, int format, aqfs_workspace *ws);

/* The reply of the case's call, or why there is no workspace. */
aqfs_reply *perform(const struct ready *r, int format);
/* Appends to FAULTS what the reply TEXT has otherwise than the case expects. */
void check_reply(struct ready *r, const char *text, size_t n, int format, struct buf *faults);

/* The matcher itself agrees with what search_files found. */
void check_matcher(const struct test_case *c, struct buf *faults);
/* Prints that the case failed, HOW it was run, what was expected and what came. */
void report(const struct ready *r, const char *how, const struct buf *faults, const char *got,
            size_t got_n);

#endif
