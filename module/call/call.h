/* call.h -- a call, as the operation that runs sees it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_CALL_H
#define AQFS_CALL_H

#include "op.h"
#include "reply.h"
#include "work.h"

enum verb {
    VERB_CALL,  /* plan, and do the plan unless its tier is above the authority */
    VERB_PLAN,  /* show the plan, touch nothing */
    VERB_COMMIT /* do the plan that has the digest, and nothing else */
};

struct change;

/* An error says this beside its message and hint, if the call fails with CODE and nothing else. */
struct refusal {
    int code;
    struct buf members; /* of the error reply, such as the refused plan */
    struct buf words;   /* at the end of its words for a model */
};

struct call {
    struct work work;
    const struct op *op;
    struct value *values;  /* one for each of op->params */
    const json_t *request; /* the values point into it */
    enum verb verb;
    enum tier authority;    /* the highest tier that the caller may do */
    struct text_ref digest; /* of the plan that was approved, or NULL */
    struct refusal refusal;
    bool words;          /* the caller reads only :text: data that :text shows may be left out */
    bool text_apart;     /* the door takes :text unprinted, beside the data */
    bool results_inside; /* the listener hears of progress alone */
    const aqfs_context *context;
    struct aqfs_reply *answer; /* allocated before anything is done; call_run returns it */
    struct reply reply;        /* the map is open while op->run writes its members */
    struct buf text;           /* the words for a model; call_finish cuts them at text_bytes */
    int64_t progress_ns;       /* when progress was last emitted */
    int64_t progress_last, progress_before; /* what was told last, and all stretches before it */
};

/* Reads the members of the request beside the operation and its arguments; aqfs.h lists them.
 * AQFS_INVALID_ARGUMENT for an unknown member, one of the wrong type, or an unknown word. */
int call_read_request(struct call *c);

/* The checked argument NAME.  Only the tools' shared functions may ask for a name that is not in
 * the call's row; they get NULL then. */
const struct value *call_arg(const struct call *c, const char *name);

/* The value of the argument NAME, which the row must have, by the type that the row gives it. */
int64_t call_int(const struct call *c, const char *name);
bool call_bool(const struct call *c, const char *name);
struct text_ref call_text(const struct call *c, const char *name);
/* Whether the text of the argument NAME is WORD. */
bool call_choice_is(const struct call *c, const char *name, const char *word);

/* Adds MEMBERS and WORDS, which may be NULL and are left empty, to the error if the call fails with
 * CODE.  Additions to another code are dropped. */
void call_refuse_with(struct call *c, int code, struct buf *members, struct buf *words);

/* Ends the reply: adds the words, cut to limits.text_bytes, and closes the map.  AQFS_LIMIT without
 * memory. */
int call_finish(struct call *c);

/* Adds to a line about CHANGE, one of FILES that a call writes, the version that its file has now,
 * unless they are many. */
void say_version(struct call *c, struct change *change, size_t files);

/* Writes the member `links` and a line of words if the file that CHANGE replaces has further names,
 * which keep the old content. */
void report_links(struct call *c, const struct change *change);

/* Results go to a listener in pieces of about this size. */
#define PIECE_BYTES 32768

/* Whether the caller listens to results while the call runs. */
bool call_streams(const struct call *c);
/* Emits (:items (datum...)); ITEMS holds the data, printed in the call's format.  Does nothing
 * without a listener or without items.  A listener that refuses stops the call's budget. */
void call_emit_items(struct call *c, const struct buf *items);
/* Emits (:progress N), at most every 100 ms.  DONE counts from the beginning of a stretch of the
 * work, such as looking at files or reading them, and N from the beginning of the call. */
void call_emit_progress(struct call *c, int64_t done);

#endif
