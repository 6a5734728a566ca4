/* call.h -- the one way in.
 *
 * Every door comes through call_run: it checks the arguments against the row,
 * runs the function and finishes the reply.  No door can skip a step, because
 * no door has the steps.
 */
#ifndef AQFS_CALL_H
#define AQFS_CALL_H

#include "aqfs.h"
#include "budget.h"
#include "ops.h"
#include "reply.h"
#include "workspace.h"

struct call {
    struct aqfs_workspace *ws;
    const struct op *op;
    struct value *values;       /* one for each of op->params */
    enum tier authority;        /* how much the caller may do without asking again */
    struct text_ref digest;     /* of the plan that was approved, or NULL */
    bool preview;               /* show the plan, do nothing */
    struct buf preview_members; /* of an error's map */
    bool words;                 /* only :text is wanted: what it shows need not be told as data */
    bool words_apart;           /* and it goes beside the data */
    struct budget budget;
    const aqfs_context *context;
    struct aqfs_reply *answer; /* taken before anything is done, given by call_run */
    struct reply reply;        /* the map is open while op->run writes its members */
    struct buf text;           /* the words for a model; cut at limits.text_bytes by call_run */
    struct error error;
    int64_t progress_ns; /* when progress was last emitted */
};

/* Where the words for a model are of a request that wants nothing else ("words": true). */
enum call_words { WORDS_INSIDE /* :text, as ever */, WORDS_APART /* reply_words, not printed */ };

/* Answers REQUEST, {"op": ..., "args": {...}}.  CONTEXT and WATCH may be NULL.  WS may be closed:
 * that is an error reply. */
aqfs_reply *call_run(struct aqfs_workspace *ws, const json_t *request, const aqfs_context *context,
                     const struct watch *watch, enum call_words words);

/* The words that are apart, valid UTF-8; NULL where they are inside, as those of an error are. */
const char *reply_words(const aqfs_reply *reply, size_t *n);

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

/* A reply from a finished writer, or from an error.  Used by every door. */
aqfs_reply *reply_finish(struct reply *r);
aqfs_reply *reply_from_error(int format, const struct error *e, const char *path, size_t path_n);
/* The same with further members, printed in FORMAT, in its map. */
aqfs_reply *reply_from_error_with(int format, const struct error *e, const char *path,
                                  size_t path_n, const struct buf *members);

#endif
