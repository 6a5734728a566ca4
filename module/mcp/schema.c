/* schema.c -- tools as tools/list shows them: see schema.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "schema.h"

#include "replies.h"

#include <string.h>

#define LARGE 1000000000000 /* a bound of an integer that is as good as none */

/* "a|b|c" as a list; with NULLABLE, null is one of them. */
static void write_enum(struct reply *r, const char *words, bool nullable) {
    reply_key(r, "enum");
    reply_list(r);
    while (words) {
        size_t n = strcspn(words, "|");
        reply_string(r, words, n);
        words = words[n] ? words + n + 1 : NULL;
    }
    if (nullable)
        reply_null(r);
    reply_end_list(r);
}

static void write_type(struct reply *r, const char *type, bool nullable) {
    reply_key(r, "type");
    if (nullable)
        reply_list(r);
    reply_string(r, type, strlen(type));
    if (nullable) {
        reply_kv_cstring(r, NULL, "null");
        reply_end_list(r);
    }
}

/* -- arguments --------------------------------------------------------------------------------- */

static void write_object_of(struct reply *r, const struct param *params, size_t n);

static void write_items(struct reply *r, const struct param *p) {
    reply_kv_cstring(r, "type", "array");
    reply_key(r, "items");
    reply_map(r);
    if (p->type == PARAM_EDITS)
        write_object_of(r, p->members, p->member_n);
    else
        reply_kv_cstring(r, "type", "string");
    reply_end_map(r);
}

static void write_param_type(struct reply *r, const struct param *p) {
    switch (p->type) {
    case PARAM_INTEGER:
        reply_kv_cstring(r, "type", "integer");
        if (p->least > -LARGE)
            reply_kv_int(r, "minimum", p->least);
        if (p->most < LARGE)
            reply_kv_int(r, "maximum", p->most);
        break;
    case PARAM_BOOLEAN:
        reply_kv_cstring(r, "type", "boolean");
        break;
    case PARAM_STRINGS:
    case PARAM_EDITS:
        write_items(r, p);
        break;
    case PARAM_CHOICE:
        reply_kv_cstring(r, "type", "string");
        write_enum(r, p->choices, false);
        break;
    default:
        reply_kv_cstring(r, "type", "string");
    }
}

static void write_param(struct reply *r, const struct param *p) {
    reply_key(r, p->name);
    reply_map(r);
    write_param_type(r, p);
    reply_kv_cstring(r, "description", p->doc);
    if (p->standard) {
        reply_key(r, "default");
        reply_raw(r, p->standard, strlen(p->standard));
    }
    reply_end_map(r);
}

/* The members of the schema of an object with PARAMS. */
static void write_object_of(struct reply *r, const struct param *params, size_t n) {
    reply_kv_cstring(r, "type", "object");
    reply_key(r, "properties");
    reply_map(r);
    for (size_t i = 0; i < n; i++)
        write_param(r, &params[i]);
    reply_end_map(r);
    reply_key(r, "required");
    reply_list(r);
    for (size_t i = 0; i < n; i++)
        if (params[i].required && !params[i].unless)
            reply_kv_cstring(r, NULL, params[i].name);
    reply_end_list(r);
    reply_kv_bool(r, "additionalProperties", false);
}

/* -- replies ----------------------------------------------------------------------------------- */

static void write_member_schema(struct reply *r, const struct member *m);

static void write_members_of(struct reply *r, const struct member *members) {
    if (!members || !members->name)
        return;
    reply_key(r, "properties");
    reply_map(r);
    for (const struct member *m = members; m->name; m++) {
        reply_key(r, m->name);
        write_member_schema(r, m);
    }
    reply_end_map(r);
    reply_key(r, "required");
    reply_list(r);
    for (const struct member *m = members; m->name; m++) {
        struct reply name = {.format = AQFS_JSON};
        if (m->optional)
            continue;
        /* As reply_key spells it, without its colon. */
        reply_key(&name, m->name);
        if (!name.out.failed)
            reply_raw(r, name.out.data, name.out.len - 2);
        r->out.failed = r->out.failed || name.out.failed;
        buf_free(&name.out);
    }
    reply_end_list(r);
}

static void write_reference(struct reply *r, const char *name) {
    char target[80];
    (void)snprintf(target, sizeof target, "#/$defs/%s", name);
    reply_kv_cstring(r, "$ref", target);
}

/* A reference to null, too: its own members would stand beside it. */
static void write_like(struct reply *r, const struct member *m) {
    if (!m->nullable) {
        write_reference(r, m->like);
        return;
    }
    reply_key(r, "anyOf");
    reply_list(r);
    reply_map(r);
    write_reference(r, m->like);
    reply_end_map(r);
    reply_map(r);
    reply_kv_cstring(r, "type", "null");
    reply_end_map(r);
    reply_end_list(r);
}

static const char *json_type_of(enum member_type type) {
    switch (type) {
    case MEMBER_INTEGER:
        return "integer";
    case MEMBER_BOOLEAN:
        return "boolean";
    case MEMBER_LIST:
        return "array";
    case MEMBER_MAP:
        return "object";
    default:
        return "string";
    }
}

static void write_typed(struct reply *r, const struct member *m) {
    write_type(r, json_type_of(m->type), m->nullable);
    if (m->type == MEMBER_LIST) {
        reply_key(r, "items");
        write_member_schema(r, m->of);
    } else if (m->type == MEMBER_MAP) {
        write_members_of(r, m->members);
    } else if (m->choices && m->type != MEMBER_INTEGER && m->type != MEMBER_BOOLEAN) {
        write_enum(r, m->choices, m->nullable);
    }
}

static void write_member_schema(struct reply *r, const struct member *m) {
    reply_map(r);
    if (m->like)
        write_like(r, m);
    else if (m->type != MEMBER_ANY)
        write_typed(r, m);
    if (m->doc)
        reply_kv_cstring(r, "description", m->doc);
    reply_end_map(r);
}

/* -- replies that others are like -------------------------------------------------------------- */

static size_t known_reply_named(const char *name) {
    size_t at = 0;
    while (at < known_reply_count && strcmp(known_replies[at].name, name) != 0)
        at++;
    return at;
}

/* Sets the bits of the replies that MEMBERS are like, at any depth. */
static void find_likes(const struct member *members, size_t n, uint64_t *found) {
    for (size_t i = 0; members && (n ? i < n : members[i].name != NULL); i++) {
        const struct member *m = &members[i];
        size_t at = m->like ? known_reply_named(m->like) : known_reply_count;
        if (at < known_reply_count && !(*found >> at & 1)) {
            *found |= UINT64_C(1) << at;
            find_likes(known_replies[at].members, 0, found);
        }
        find_likes(m->members, 0, found);
        find_likes(m->of, 1, found);
    }
}

static void write_definitions(struct reply *r, const struct member *members) {
    uint64_t likes = 0;
    find_likes(members, 0, &likes);
    if (!likes)
        return;
    reply_key(r, "$defs");
    reply_map(r);
    for (size_t i = 0; i < known_reply_count; i++) {
        if (!(likes >> i & 1))
            continue;
        reply_key(r, known_replies[i].name);
        reply_map(r);
        reply_kv_cstring(r, "type", "object");
        write_members_of(r, known_replies[i].members);
        reply_end_map(r);
    }
    reply_end_map(r);
}

/* -- tools ------------------------------------------------------------------------------------- */

static void write_annotations(struct reply *r, const struct op *op) {
    bool reads = op->tier == TIER_SAFE;
    reply_key(r, "annotations");
    reply_map(r);
    reply_kv_bool(r, "readOnlyHint", reads);
    reply_kv_bool(r, "destructiveHint", op->destructive);
    reply_kv_bool(r, "idempotentHint", reads || op->idempotent);
    reply_kv_bool(r, "openWorldHint", false); /* nothing leaves the workspace */
    reply_end_map(r);
}

void schema_tool(struct reply *r, const struct op *op, bool structured) {
    reply_map(r);
    reply_kv_cstring(r, "name", op->name);
    reply_kv_cstring(r, "title", op->title);
    reply_kv_cstring(r, "description", op->doc);
    reply_key(r, "inputSchema");
    reply_map(r);
    write_object_of(r, op->params, op->param_count);
    reply_end_map(r);
    if (structured) {
        reply_key(r, "outputSchema");
        reply_map(r);
        reply_kv_cstring(r, "type", "object");
        write_members_of(r, op->reply);
        write_definitions(r, op->reply);
        reply_end_map(r);
    }
    write_annotations(r, op);
    reply_end_map(r);
}
