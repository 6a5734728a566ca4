/* dispatch.h -- the one way in.
 *
 * Every door comes through call_run: it checks the arguments against the row,
 * runs the function and finishes the reply.  No door can skip a step, because
 * no door has the steps.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DISPATCH_H
#define AQFS_DISPATCH_H

#include "reply.h"
#include "work.h"

/* Where the words for a model are of a request that wants nothing else ("words": true). */
enum call_words { WORDS_INSIDE /* :text, as ever */, WORDS_APART /* reply_words, not printed */ };

/* Answers REQUEST, {"op": ..., "args": {...}}.  CONTEXT and WATCH may be NULL.  WS may be closed:
 * that is an error reply. */
aqfs_reply *call_run(struct aqfs_workspace *ws, const json_t *request, const aqfs_context *context,
                     const struct watch *watch, enum call_words words);

#endif
