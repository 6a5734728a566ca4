/* call.h -- a call, as the operation that runs sees it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CALL_H
#define AQFS_CALL_H

#include "answer.h"
#include "op.h"
#include "reply.h"
#include "work.h"

enum verb {
    VERB_CALL,  /* plan, and do it as far as the authority goes */
    VERB_PLAN,  /* show the plan, touch nothing */
    VERB_COMMIT /* do what the plan of this digest says, and nothing else */
};

struct call {
    struct work work;
    const struct op *op;
    struct value *values;  /* one for each of op->params */
    const json_t *request; /* which the values point into */
    enum verb verb;
    enum tier authority;        /* how much the caller may do without asking again */
    struct text_ref digest;     /* of the plan that was approved, or NULL */
    struct buf refused_members; /* of the error's map: the plan that was refused */
    bool words;                 /* only :text is wanted: what it shows need not be told as data */
    bool words_apart;           /* and it goes beside the data */
    const aqfs_context *context;
    struct aqfs_reply *answer; /* taken before anything is done, given by call_run */
    struct reply reply;        /* the map is open while op->run writes its members */
    struct buf text;           /* the words for a model; cut at limits.text_bytes by call_run */
    int64_t progress_ns;       /* when progress was last emitted */
};

/* Frees the values of a call of OP; NULL is allowed. */
void call_drop_values(const struct op *op, struct value *values);

/* The checked argument NAME, which the row must have. */
const struct value *call_arg(const struct call *c, const char *name);
int64_t call_int(const struct call *c, const char *name);
bool call_bool(const struct call *c, const char *name);
struct text_ref call_text(const struct call *c, const char *name);
bool call_choice_is(const struct call *c, const char *name, const char *word);

/* Ends the reply's data: the words go in, and the map is closed. */
int call_finish(struct call *c);

/* For streaming: true when somebody listens to `emit`. */
bool call_streams(const struct call *c);
/* Emits (:KEY datum...) where ITEMS holds printed data of the call's format. */
void call_emit_items(struct call *c, const struct buf *items);
/* Emits (:progress N), at most every 100 ms. */
void call_emit_progress(struct call *c, int64_t done);

#endif
