/* ask.h -- asking the person at a client about a plan, by the protocol's elicitation.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_ASK_H
#define AQFS_ASK_H

#include "reply.h"

#include <jansson.h>

/* The name of the question among the inputs that a request requires. */
#define ASK_NAME "approval"

/* Writes the params of elicitation/create about REFUSAL, the core's error that carries the plan:
 * what is done, where, the diff with all that is hidden shown, and the form. */
void ask_write_params(struct reply *r, const char *tool, const json_t *refusal);

enum answer { ANSWER_NONE, ANSWER_APPROVED, ANSWER_DENIED, ANSWER_CANCELLED };

/* Reads RESULT, what the client answers.  *REASON is the person's, cut at 500 bytes, or "".
 * ANSWER_NONE for what is no answer. */
enum answer ask_read(const json_t *result, char reason[512]);

#endif
