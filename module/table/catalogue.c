/* catalogue.c -- the table as data: operations, errors, options, replies.
 *
 * SPDX-License-Identifier: MIT
 */
#include "catalogue.h"

#include "aqfs.h"
#include "cleanup.h"
#include "mount.h"
#include "options.h"
#include "protected_names.h"
#include "replies.h"
#include "reply.h"
#include "secret_names.h"
#include "table.h"
#include "tool_sets.h"

#include <string.h>

/* WORDS are "a|b|c", or NULL for none. */
static void describe_choices(struct reply *r, const char *words) {
    reply_key(r, KEY_CHOICES);
    reply_list(r);
    while (words) {
        size_t n = strcspn(words, "|");
        reply_string(r, words, n);
        words = words[n] ? words + n + 1 : NULL;
    }
    reply_end_list(r);
}

static void describe_params(struct reply *r, const char *key, const struct param *params, size_t n);

/* The default is written as JSON text: as Lisp data `false`, `[]` and "absent" would all be nil. */
static void describe_param(struct reply *r, const struct param *p) {
    reply_map(r);
    reply_kv_cstring(r, KEY_NAME, p->name);
    reply_kv_keyword(r, KEY_TYPE, param_type_name(p->type));
    reply_kv_bool(r, KEY_REQUIRED, p->required);
    reply_kv_cstring(r, KEY_UNLESS, p->unless);
    reply_kv_cstring(r, KEY_DEFAULT, p->standard);
    if (p->type == PARAM_INTEGER) {
        reply_kv_int(r, KEY_LEAST, p->least);
        reply_kv_int(r, KEY_MOST, p->most);
    }
    describe_choices(r, p->choices);
    reply_kv_cstring(r, KEY_DOC, p->doc);
    if (p->type == PARAM_EDITS)
        describe_params(r, KEY_MEMBERS, p->members, p->member_n);
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

/* With underscores, as JSON has it. */
static void describe_name(struct reply *r, const char *key) {
    char name[64];
    size_t n = key ? strlen(key) : 0;
    reply_key(r, KEY_NAME);
    if (!key || n >= sizeof name) {
        reply_null(r);
        return;
    }
    for (size_t i = 0; i < n; i++)
        name[i] = key[i] == '-' ? '_' : key[i];
    reply_string(r, name, n);
}

static void describe_member(struct reply *r, const struct member *m);

static void describe_members(struct reply *r, const struct member *members) {
    for (; members && members->name; members++)
        describe_member(r, members);
}

/* The recursion ends with the declarations: members that contain themselves are declared by `like`,
 * the name of a reply. */
static void describe_member(struct reply *r, const struct member *m) {
    reply_map(r);
    describe_name(r, m->name);
    reply_kv_keyword(r, KEY_TYPE, member_type_name(m->type));
    reply_kv_bool(r, KEY_OPTIONAL, m->optional);
    reply_kv_bool(r, KEY_NULLABLE, m->nullable);
    describe_choices(r, m->choices);
    reply_key(r, KEY_OF);
    if (m->of)
        describe_member(r, m->of);
    else
        reply_null(r);
    reply_key(r, KEY_MEMBERS);
    reply_list(r);
    describe_members(r, m->members);
    reply_end_list(r);
    reply_kv_cstring(r, KEY_LIKE, m->like);
    reply_kv_cstring(r, KEY_DOC, m->doc);
    reply_end_map(r);
}

static void describe_known_reply(struct reply *r, const struct known_reply *known) {
    reply_map(r);
    reply_kv_cstring(r, KEY_NAME, known->name);
    reply_kv_cstring(r, KEY_DOC, known->doc);
    reply_key(r, KEY_MEMBERS);
    reply_list(r);
    describe_members(r, known->members);
    reply_end_list(r);
    reply_end_map(r);
}

/* -- operations -------------------------------------------------------------------------------- */

static void describe_hints(struct reply *r, const struct op *op) {
    bool reads = op->tier == TIER_SAFE;
    reply_key(r, KEY_HINTS);
    reply_map(r);
    reply_kv_bool(r, KEY_READ_ONLY, reads);
    reply_kv_bool(r, KEY_DESTRUCTIVE, op->destructive);
    reply_kv_bool(r, KEY_IDEMPOTENT, reads || op->idempotent);
    reply_kv_bool(r, KEY_OPEN_WORLD, false); /* nothing leaves the workspace */
    reply_end_map(r);
}

static void describe_sets_of(struct reply *r, const struct op *op) {
    reply_key(r, KEY_SETS);
    reply_list(r);
    for (size_t i = 0; i < tool_set_count; i++)
        if (tool_set_has(&tool_sets[i], op->name))
            reply_kv_cstring(r, NULL, tool_sets[i].name);
    reply_end_list(r);
}

static void describe_errors_of(struct reply *r, uint64_t errors) {
    reply_key(r, KEY_ERRORS);
    reply_list(r);
    for (enum code code = AQFS_OK; code < CODE_COUNT; code++)
        if (errors & UINT64_C(1) << code)
            reply_kv_cstring(r, NULL, code_name(code));
    reply_end_list(r);
}

static void describe_op(struct reply *r, const struct op *op) {
    reply_map(r);
    reply_kv_cstring(r, KEY_NAME, op->name);
    reply_kv_keyword(r, KEY_TIER, tier_name(op->tier));
    reply_kv_bool(r, KEY_SLOW, op->slow);
    reply_kv_cstring(r, KEY_DOC, op->doc);
    reply_kv_cstring(r, KEY_TITLE, op->title);
    describe_hints(r, op);
    describe_sets_of(r, op);
    describe_params(r, KEY_PARAMS, op->params, op->param_count);
    reply_key(r, KEY_REPLY);
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

static const char *shared_message(enum code code) {
    switch (code) {
    case AQFS_OUTSIDE_ROOT:
        return OUTSIDE_ROOT_MESSAGE;
    case AQFS_APPROVAL_REQUIRED:
        return APPROVAL_REQUIRED_MESSAGE;
    case AQFS_STALE:
        return STALE_PLAN_MESSAGE;
    default:
        return NULL;
    }
}

static void describe_codes(struct reply *r) {
    reply_key(r, KEY_ERRORS);
    reply_list(r);
    for (enum code code = AQFS_OK + 1; code < CODE_COUNT; code++) {
        reply_map(r);
        reply_kv_cstring(r, KEY_NAME, code_name(code));
        reply_kv_cstring(r, KEY_DOC, code_doc(code));
        reply_kv_cstring(r, KEY_MESSAGE, shared_message(code));
        reply_kv_bool(r, KEY_COMMON, ERRORS_OF_EVERY_CALL & UINT64_C(1) << code);
        reply_end_map(r);
    }
    reply_end_list(r);
}

static void describe_set(struct reply *r, const struct tool_set *set) {
    reply_map(r);
    reply_kv_cstring(r, KEY_NAME, set->name);
    reply_kv_cstring(r, KEY_DOC, set->doc);
    reply_kv_int(r, KEY_BYTES, set->bytes);
    reply_key(r, KEY_TOOLS);
    reply_list(r);
    for (size_t at = 0; tool_set_at(set, at); at++)
        reply_kv_cstring(r, NULL, tool_set_at(set, at));
    reply_end_list(r);
    reply_end_map(r);
}

static void describe_sets(struct reply *r) {
    reply_key(r, KEY_SETS);
    reply_list(r);
    for (size_t i = 0; i < tool_set_count; i++)
        describe_set(r, &tool_sets[i]);
    reply_end_list(r);
}

static void describe_protected_name(struct reply *r, const char *before,
                                    const struct protected_name *row) {
    AUTO(buf_free) struct buf name = {0};
    if (row->above)
        buf_printf(&name, "%s%s", row->above, strcmp(row->above, PROTECTED_ON_TOP) ? "/" : "");
    buf_printf(&name, "%s%s", before, row->name);
    r->out.failed = r->out.failed || name.failed;
    reply_kv_cstring(r, NULL, name.data);
}

static void describe_protected(struct reply *r) {
    reply_key(r, KEY_PROTECTED);
    reply_list(r);
    for (unsigned group = 0; group < PROTECTED_GROUP_COUNT; group++) {
        reply_map(r);
        reply_kv_cstring(r, KEY_TITLE, protected_groups[group].program);
        reply_kv_cstring(r, KEY_DOC, protected_groups[group].reason);
        reply_key(r, KEY_NAMES);
        reply_list(r);
        for (size_t i = 0; i < protected_name_count; i++)
            if (protected_names[i].group == group)
                describe_protected_name(r, "", &protected_names[i]);
        for (size_t i = 0; i < protected_ending_count; i++)
            if (protected_endings[i].group == group)
                describe_protected_name(r, "*", &protected_endings[i]);
        reply_end_list(r);
        reply_end_map(r);
    }
    reply_end_list(r);
}

static void describe_secret_name(struct reply *r, const struct secret_name *row) {
    AUTO(buf_free) struct buf name = {0};
    if (row->above)
        buf_printf(&name, "%s/", row->above);
    buf_printf(&name, "%s%s", row->pattern, row->kind == SECRET_TREE ? "/" : "");
    r->out.failed = r->out.failed || name.failed;
    reply_kv_cstring(r, NULL, name.data);
}

static void describe_open_name(struct reply *r, const char *pattern) {
    char name[64];
    (void)snprintf(name, sizeof name, "!%s", pattern);
    reply_kv_cstring(r, NULL, name);
}

static void describe_secret_group(struct reply *r, unsigned group) {
    reply_map(r);
    reply_kv_cstring(r, KEY_TITLE, secret_groups[group].title);
    reply_kv_cstring(r, KEY_DOC, secret_groups[group].reason);
    reply_key(r, KEY_NAMES);
    reply_list(r);
    for (size_t i = 0; i < secret_name_count; i++)
        if (secret_names[i].group == group)
            describe_secret_name(r, &secret_names[i]);
    for (size_t i = 0; i < open_name_count; i++)
        if (open_names[i].group == group)
            describe_open_name(r, open_names[i].pattern);
    reply_end_list(r);
    reply_end_map(r);
}

static void describe_secrets(struct reply *r) {
    reply_key(r, KEY_SECRETS);
    reply_list(r);
    for (unsigned group = 0; group < SECRET_GROUP_COUNT; group++)
        describe_secret_group(r, group);
    reply_end_list(r);
}

void catalogue_describe(struct reply *r) {
    reply_map(r);
    reply_kv_cstring(r, KEY_VERSION, AQFS_VERSION);
    reply_kv_int(r, KEY_ABI, AQFS_ABI_VERSION);
    describe_codes(r);
    describe_params(r, KEY_OPTIONS, option_params, OPT_COUNT);
    describe_params(r, KEY_LIMITS, limit_params, LIMIT_COUNT);
    describe_params(r, KEY_MOUNTS, mount_params, MOUNT_PARAM_COUNT);
    describe_sets(r);
    describe_protected(r);
    describe_secrets(r);
    reply_key(r, KEY_OPERATIONS);
    catalogue_describe_operations(r);
    reply_key(r, KEY_REPLIES);
    reply_list(r);
    for (size_t i = 0; i < known_reply_count; i++)
        describe_known_reply(r, &known_replies[i]);
    reply_end_list(r);
    reply_end_map(r);
}
