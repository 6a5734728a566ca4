/* catalogue.c -- all that is known, as data.
 *
 * SPDX-License-Identifier: MIT
 */
#include "catalogue.h"

#include "aqfs.h"
#include "mount.h"
#include "options.h"
#include "replies.h"
#include "reply.h"
#include "table.h"

#include <string.h>

/* WORDS are "a|b|c", or NULL for none. */
static void describe_choices(struct reply *r, const char *words) {
    reply_key(r, "choices");
    reply_list(r);
    while (words) {
        size_t n = strcspn(words, "|");
        reply_string(r, words, n);
        words = words[n] ? words + n + 1 : NULL;
    }
    reply_end_list(r);
}

/* The default travels as JSON text: `false`, `[]` and "absent" must not all be nil. */
static void describe_param(struct reply *r, const struct param *p) {
    reply_map(r);
    reply_kv_cstring(r, "name", p->name);
    reply_kv_keyword(r, "type", param_type_name(p->type));
    reply_kv_bool(r, "required", p->required);
    reply_kv_cstring(r, "default", p->standard);
    if (p->type == PARAM_INTEGER) {
        reply_kv_int(r, "least", p->least);
        reply_kv_int(r, "most", p->most);
    }
    describe_choices(r, p->choices);
    reply_kv_cstring(r, "doc", p->doc);
    reply_end_map(r);
}

static void describe_params(struct reply *r, const char *key, const struct param *params,
                            size_t n) {
    reply_key(r, key);
    reply_list(r);
    for (size_t i = 0; i < n; i++)
        describe_param(r, &params[i]);
    reply_end_list(r);
}

/* -- replies ----------------------------------------------------------------------------------- */

static void describe_member(struct reply *r, const struct member *m);

static void describe_members(struct reply *r, const struct member *members) {
    for (; members && members->name; members++)
        describe_member(r, members);
}

/* As deep as the declarations are: what repeats itself is `like` another. */
static void describe_member(struct reply *r, const struct member *m) {
    reply_map(r);
    reply_kv_cstring(r, "name", m->name);
    reply_kv_keyword(r, "type", member_type_name(m->type));
    reply_kv_bool(r, "optional", m->optional);
    reply_kv_bool(r, "nullable", m->nullable);
    describe_choices(r, m->choices);
    reply_key(r, "of");
    if (m->of)
        describe_member(r, m->of);
    else
        reply_null(r);
    reply_key(r, "members");
    reply_list(r);
    describe_members(r, m->members);
    reply_end_list(r);
    reply_kv_cstring(r, "like", m->like);
    reply_kv_cstring(r, "doc", m->doc);
    reply_end_map(r);
}

static void describe_known_reply(struct reply *r, const struct known_reply *known) {
    reply_map(r);
    reply_kv_cstring(r, "name", known->name);
    reply_kv_cstring(r, "doc", known->doc);
    reply_key(r, "members");
    reply_list(r);
    describe_members(r, known->members);
    reply_end_list(r);
    reply_end_map(r);
}

/* -- operations -------------------------------------------------------------------------------- */

static void describe_hints(struct reply *r, const struct op *op) {
    bool reads = op->tier == TIER_SAFE;
    reply_key(r, "hints");
    reply_map(r);
    reply_kv_bool(r, "read-only", reads);
    reply_kv_bool(r, "destructive", op->destructive);
    reply_kv_bool(r, "idempotent", reads || op->idempotent);
    reply_kv_bool(r, "open-world", false); /* nothing leaves the workspace */
    reply_end_map(r);
}

static void describe_sets_of(struct reply *r, const struct op *op) {
    reply_key(r, "sets");
    reply_list(r);
    for (size_t i = 0; i < TOOL_SET_COUNT; i++)
        if (op_sets(op) & 1U << i)
            reply_kv_cstring(r, NULL, tool_sets[i].name);
    reply_end_list(r);
}

static void describe_errors_of(struct reply *r, uint64_t errors) {
    reply_key(r, "errors");
    reply_list(r);
    for (enum code code = AQFS_OK; code < CODE_COUNT; code++)
        if (errors & UINT64_C(1) << code)
            reply_kv_cstring(r, NULL, code_name(code));
    reply_end_list(r);
}

static void describe_op(struct reply *r, const struct op *op) {
    reply_map(r);
    reply_kv_cstring(r, "name", op->name);
    reply_kv_keyword(r, "tier", tier_name(op->tier));
    reply_kv_bool(r, "slow", op->slow);
    reply_kv_cstring(r, "doc", op->doc);
    reply_kv_cstring(r, "title", op->title);
    describe_hints(r, op);
    describe_sets_of(r, op);
    describe_params(r, "params", op->params, op->param_count);
    reply_key(r, "reply");
    reply_list(r);
    describe_members(r, op->reply);
    describe_member(r, &text_member);
    reply_end_list(r);
    describe_errors_of(r, op->errors);
    reply_end_map(r);
}

void catalogue_describe_operations(struct reply *r) {
    reply_list(r);
    for (size_t i = 0; op_at(i); i++)
        describe_op(r, op_at(i));
    reply_end_list(r);
}

/* -- all of it --------------------------------------------------------------------------------- */

static void describe_codes(struct reply *r) {
    reply_key(r, "errors");
    reply_list(r);
    for (enum code code = AQFS_OK + 1; code < CODE_COUNT; code++) {
        reply_map(r);
        reply_kv_cstring(r, "name", code_name(code));
        reply_kv_cstring(r, "doc", code_doc(code));
        reply_kv_cstring(r, "message", code == AQFS_OUTSIDE_ROOT ? OUTSIDE_ROOT_MESSAGE : NULL);
        reply_kv_bool(r, "common", ERRORS_OF_EVERY_CALL & UINT64_C(1) << code);
        reply_end_map(r);
    }
    reply_end_list(r);
}

static void describe_sets(struct reply *r) {
    reply_key(r, "sets");
    reply_list(r);
    for (size_t i = 0; i < TOOL_SET_COUNT; i++) {
        reply_map(r);
        reply_kv_cstring(r, "name", tool_sets[i].name);
        reply_kv_cstring(r, "doc", tool_sets[i].doc);
        reply_end_map(r);
    }
    reply_end_list(r);
}

void catalogue_describe(struct reply *r) {
    reply_map(r);
    reply_kv_cstring(r, "version", AQFS_VERSION);
    reply_kv_int(r, "abi", AQFS_ABI_VERSION);
    describe_codes(r);
    describe_params(r, "options", option_params, OPT_COUNT);
    describe_params(r, "limits", limit_params, LIMIT_COUNT);
    describe_params(r, "mounts", mount_params, MOUNT_PARAM_COUNT);
    describe_sets(r);
    reply_key(r, "operations");
    catalogue_describe_operations(r);
    reply_key(r, "replies");
    reply_list(r);
    for (size_t i = 0; i < known_reply_count; i++)
        describe_known_reply(r, &known_replies[i]);
    reply_end_list(r);
    reply_end_map(r);
}
