/* ops.h -- the table of operations.
 *
 * To add an operation: write one function, add one row to the table_*.c that
 * it belongs to.  Everything else -- argument checks, tiers, hints, both
 * Lisps, JSON schemas, the manual's reference -- comes from the row.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_OPS_H
#define AQFS_OPS_H

#include "args.h"
#include "member.h"
#include "tier.h"

struct call;
struct plan;
struct reply;

/* X(constant, name, words): sets of tools that a client may ask for. */
#define TOOL_SETS(X)                                                                               \
    X(ALL, "all", "Every tool.")                                                                   \
    X(READ_ONLY, "read-only", "The tools that change nothing.")                                    \
    X(AGENT_Q, "agent-q", "The tools that Agent-Q offers to a model.")

#define X(constant, name, doc) BIT_##constant,
enum { TOOL_SETS(X) TOOL_SET_COUNT };
#undef X
#define X(constant, name, doc) SET_##constant = 1 << BIT_##constant,
enum { TOOL_SETS(X) };
#undef X

struct tool_set {
    const char *name, *doc;
};

extern const struct tool_set tool_sets[TOOL_SET_COUNT];

/* The errors of an operation, as a set of bits. */
#define ERROR_BIT(constant) (UINT64_C(1) << AQFS_##constant)

/* What any call may fail with. */
#define ERRORS_OF_EVERY_CALL                                                                       \
    (ERROR_BIT(INVALID_ARGUMENT) | ERROR_BIT(UNKNOWN_OPERATION) | ERROR_BIT(LIMIT) |               \
     ERROR_BIT(CANCELLED) | ERROR_BIT(IO))

struct op {
    const char *name;
    const char *title; /* for people: "Read a file" */
    const char *doc;   /* for a model: when to use it, what it answers, what it refuses */
    enum tier tier;
    bool slow; /* may take long: doors run it off their main thread */
    /* For clients, of what changes something.  What only reads is idempotent. */
    bool destructive;          /* may put an end to what was there, and does not only add */
    bool idempotent;           /* done twice, it is as if it had been done once */
    unsigned sets;             /* SET_ bits; for those that follow from the tier see op_sets */
    int (*run)(struct call *); /* writes the members of the reply's map, and c->text */
    /* Instead of `run`, where something is changed: `plan` says what, touching nothing; `report`
     * writes the members when it has been done. */
    int (*plan)(struct call *, struct plan *);
    /* When it will be done and before it is: what must succeed first.  Or NULL. */
    int (*prepare)(struct call *, struct plan *);
    void (*report)(struct call *, const struct plan *);
    const struct param *params;
    size_t param_count;
    const struct member *reply; /* the members that `run` or `report` writes */
    uint64_t errors;            /* beyond those of every call */
};

size_t op_count(void);
const struct op *op_at(size_t at); /* NULL behind the last */
const struct op *op_find(const char *name);
/* All SET_ bits of OP, those that follow from its tier too. */
unsigned op_sets(const struct op *op);

int plan_edit_file(struct call *c, struct plan *p);
int plan_insert_at_line(struct call *c, struct plan *p);
int plan_create_file(struct call *c, struct plan *p);
int plan_write_file(struct call *c, struct plan *p);
int plan_write_bytes(struct call *c, struct plan *p);
int plan_make_directory(struct call *c, struct plan *p);
int plan_move_file(struct call *c, struct plan *p);
int plan_copy_file(struct call *c, struct plan *p);
int plan_delete_file(struct call *c, struct plan *p);
int plan_apply_patch(struct call *c, struct plan *p);
int plan_apply_patch_json(struct call *c, struct plan *p);
int plan_apply_patch_freeform(struct call *c, struct plan *p);
void report_patch(struct call *c, const struct plan *p);
void report_edit(struct call *c, const struct plan *p);
void report_write(struct call *c, const struct plan *p);
void report_make_directory(struct call *c, const struct plan *p);
void report_move(struct call *c, const struct plan *p);
void report_delete(struct call *c, const struct plan *p);

int plan_snapshot_create(struct call *c, struct plan *p);
int prepare_snapshot_create(struct call *c, struct plan *p);
void report_snapshot_create(struct call *c, const struct plan *p);
int plan_snapshot_restore(struct call *c, struct plan *p);
int prepare_snapshot_restore(struct call *c, struct plan *p);
void report_snapshot_restore(struct call *c, const struct plan *p);
int plan_snapshot_prune(struct call *c, struct plan *p);
int prepare_snapshot_prune(struct call *c, struct plan *p);
void report_snapshot_prune(struct call *c, const struct plan *p);

int op_snapshot_list(struct call *c);
int op_snapshot_diff(struct call *c);
int op_get_project_root(struct call *c);
int op_list_directory(struct call *c);
int op_list_dir(struct call *c);
int op_directory_tree(struct call *c);
int op_get_file_info(struct call *c);
int op_file_exists(struct call *c);
int op_read_file(struct call *c);
int op_read_bytes(struct call *c);
int op_search_files(struct call *c);
int op_grep_files(struct call *c);

#endif
