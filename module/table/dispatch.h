/* dispatch.h -- the one way to run an operation.
 *
 * Every door calls call_run.  It checks the arguments against the row, runs the
 * row's function and finishes the reply.  A door cannot leave out a step, because
 * it does not see the steps.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DISPATCH_H
#define AQFS_DISPATCH_H

#include "reply.h"
#include "work.h"

/* Where a door wants the words for a model: in the reply's member :text, or unprinted beside the
 * data, in reply->words.  With RESULTS_INSIDE, the context's emit is told of progress alone, and
 * the reply has all results. */
enum text_place { TEXT_INSIDE, TEXT_APART, TEXT_INSIDE_RESULTS_INSIDE, TEXT_APART_RESULTS_INSIDE };

/* Runs REQUEST, {"op": ..., "args": {...}}, and returns its reply: of an error too, and also if WS
 * is closed.  NULL without memory for an error reply.  CONTEXT and WATCH may be NULL. */
aqfs_reply *call_run(struct aqfs_workspace *ws, const json_t *request, const aqfs_context *context,
                     const struct watch *watch, enum text_place text);
/* The same with the text inside, for a LISTENER to the reply, or NULL. */
aqfs_reply *call_run_early(struct aqfs_workspace *ws, const json_t *request,
                           const aqfs_context *context, struct reply_listener *listener);

#endif
