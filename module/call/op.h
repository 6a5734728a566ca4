/* op.h -- an operation: a row of the table.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_OP_H
#define AQFS_OP_H

#include "args.h"
#include "member.h"
#include "reply.h"

struct call;
struct plan;

/* The errors of an operation, as a set of bits. */
#define ERROR_BIT(constant) (UINT64_C(1) << AQFS_##constant)

/* The errors that any call may fail with. */
#define ERRORS_OF_EVERY_CALL                                                                       \
    (ERROR_BIT(INVALID_ARGUMENT) | ERROR_BIT(UNKNOWN_OPERATION) | ERROR_BIT(LIMIT) |               \
     ERROR_BIT(CANCELLED) | ERROR_BIT(IO) | ERROR_BIT(ROOT_MOVED))

struct op {
    const char *name;
    const char *title; /* for people: "Read a file" */
    const char *doc;   /* for a model: when to use it, what it answers, what it refuses */
    enum tier tier;
    bool slow;     /* may take long: doors run it off their main thread */
    bool anywhere; /* may be called when the root was moved or replaced */
    /* Hints for clients.  An operation that only reads is idempotent anyway. */
    bool destructive;          /* may remove or replace something, and does not only add */
    bool idempotent;           /* doing it twice has the effect of doing it once */
    int (*run)(struct call *); /* writes the members of the reply's map, and c->text */
    /* Instead of `run`, for an operation that changes something: planned.c calls these in this
     * order. `plan` lists the changes and touches nothing.  `prepare`, or NULL, does what must
     * succeed before the changes, such as taking a snapshot.  `report` writes the members of the
     * reply's map and c->text, as if the plan were done. */
    int (*plan)(struct call *, struct plan *);
    int (*prepare)(struct call *, struct plan *);
    void (*report)(struct call *, const struct plan *);
    const struct param *params;
    size_t param_count;
    const struct member *reply; /* the members that `run` or `report` writes */
    uint64_t errors;            /* beyond those of every call */
};

#endif
