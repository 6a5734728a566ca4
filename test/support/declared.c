/* SPDX-License-Identifier: MIT */
/* declared.c -- is a reply what the catalogue declares?  See declared.h. */
#include "declared.h"

#include "replies.h"
#include "table.h"

#include <string.h>

/* Where in the reply something is, from the inside out. */
struct spot {
    const struct spot *outer;
    const char *name;
};

static void add_spot(struct buf *out, const struct spot *at) {
    if (at->outer) {
        add_spot(out, at->outer);
        buf_char(out, '/');
    }
    buf_str(out, at->name);
}

static void blame(struct buf *faults, const struct spot *at, const char *what) {
    buf_str(faults, "  not as declared: ");
    add_spot(faults, at);
    buf_char(faults, ' ');
    buf_str(faults, what);
    buf_char(faults, '\n');
}

static void check_value(const struct member *m, const json_t *v, const struct spot *at,
                        struct buf *faults);

/* Has JSON underscores where the declaration has hyphens, or is it all the same? */
static bool is_named(const struct member *m, const char *name) {
    const char *key = m->name;
    while (*key && (*key == *name || (*key == '-' && *name == '_')))
        key++, name++;
    return *key == '\0' && *name == '\0';
}

/* MORE is one member besides, or NULL. */
static const struct member *member_named(const struct member *members, const struct member *more,
                                         const char *name) {
    for (; members && members->name; members++)
        if (is_named(members, name))
            return members;
    return more && is_named(more, name) ? more : NULL;
}

static void check_missing(const struct member *m, const json_t *map, const struct spot *at,
                          struct buf *faults) {
    const struct spot here = {at, m->name};
    const char *name;
    json_t *ignored;
    json_object_foreach((json_t *)map, name, ignored) {
        if (is_named(m, name))
            return;
    }
    if (!m->optional)
        blame(faults, &here, "is missing");
}

static void check_map(const struct member *members, const struct member *more, const json_t *map,
                      const struct spot *at, struct buf *faults) {
    const char *name;
    json_t *value;
    if (!json_is_object(map)) {
        blame(faults, at, "is not a map");
        return;
    }
    json_object_foreach((json_t *)map, name, value) {
        const struct spot here = {at, name};
        const struct member *m = member_named(members, more, name);
        if (m)
            check_value(m, value, &here, faults);
        else
            blame(faults, &here, "is unknown");
    }
    for (; members && members->name; members++)
        check_missing(members, map, at, faults);
    if (more)
        check_missing(more, map, at, faults);
}

static const struct known_reply *known_reply(const char *name) {
    for (size_t i = 0; i < known_reply_count; i++)
        if (strcmp(known_replies[i].name, name) == 0)
            return &known_replies[i];
    return NULL;
}

static bool is_choice(const char *choices, const char *word) {
    size_t n = strlen(word);
    while (choices) {
        size_t len = strcspn(choices, "|");
        if (len == n && memcmp(choices, word, n) == 0)
            return true;
        choices = choices[len] ? choices + len + 1 : NULL;
    }
    return false;
}

/* "2026-11-18T11:40:00.000Z" */
static bool is_time(const char *text) {
    static const char like[] = "0000-00-00T00:00:00.000Z";
    bool good = strlen(text) == strlen(like);
    for (size_t i = 0; good && like[i]; i++)
        good = like[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == like[i];
    return good;
}

static bool is_digest(const char *text) {
    size_t n = strspn(text, "0123456789abcdef");
    return n >= 32 && text[n] == '\0';
}

static bool has_type(const struct member *m, const json_t *v) {
    const char *text = json_string_value(v);
    switch (m->type) {
    case MEMBER_INTEGER:
        return json_is_integer(v);
    case MEMBER_BOOLEAN:
        return json_is_boolean(v);
    case MEMBER_LIST:
        return json_is_array(v);
    case MEMBER_MAP:
        return json_is_object(v);
    case MEMBER_TIME:
        return text && is_time(text);
    case MEMBER_DIGEST:
        return text && is_digest(text);
    case MEMBER_KEYWORD:
        return text && is_choice(m->choices, text);
    case MEMBER_STRING:
    case MEMBER_PATH:
        return text && (!m->choices || is_choice(m->choices, text));
    default:
        return true;
    }
}

static void check_items(const struct member *m, const json_t *list, const struct spot *at,
                        struct buf *faults) {
    for (size_t i = 0; i < json_array_size(list); i++)
        check_value(m, json_array_get(list, i), at, faults);
}

static void check_value(const struct member *m, const json_t *v, const struct spot *at,
                        struct buf *faults) {
    if (json_is_null(v)) {
        if (!m->nullable && m->type != MEMBER_ANY)
            blame(faults, at, "is null");
    } else if (!has_type(m, v)) {
        blame(faults, at, "is not of its type, or another word");
    } else if (m->type == MEMBER_LIST) {
        check_items(m->of, v, at, faults);
    } else if (m->type == MEMBER_MAP) {
        check_map(m->like ? known_reply(m->like)->members : m->members, NULL, v, at, faults);
    }
}

void declared_check_known(const char *name, const json_t *reply, struct buf *faults) {
    const struct spot here = {NULL, name};
    const struct known_reply *known = known_reply(name);
    if (known)
        check_map(known->members, NULL, reply, &here, faults);
    else
        blame(faults, &here, "is declared nowhere");
}

static uint64_t error_bit(const char *name) {
    for (enum code code = AQFS_OK; code < CODE_COUNT; code++)
        if (strcmp(code_name(code), name) == 0)
            return UINT64_C(1) << code;
    return 0;
}

static void check_error(const struct op *op, const json_t *reply, struct buf *faults) {
    const char *name = json_string_value(json_object_get(reply, "error"));
    const struct spot outer = {NULL, op ? op->name : "?"}, here = {&outer, name ? name : "?"};
    declared_check_known("error", reply, faults);
    if (op && name && !(error_bit(name) & (op->errors | ERRORS_OF_EVERY_CALL)))
        blame(faults, &here, "is an error that it does not declare");
}

void declared_check(const char *request, size_t n, const json_t *reply, struct buf *faults) {
    json_t *asked = request ? json_loadb(request, n, JSON_ALLOW_NUL, NULL) : NULL;
    const char *name = json_string_value(json_object_get(asked, "op"));
    const char *verb = json_string_value(json_object_get(asked, "verb"));
    const struct op *op = name ? op_find(name) : NULL;
    bool plans = op && op->plan && verb && strcmp(verb, "plan") == 0;
    const struct spot here = {NULL, op ? op->name : "?"};
    if (json_object_get(reply, "error"))
        check_error(op, reply, faults);
    else if (!request)
        declared_check_known("open", reply, faults);
    else if (plans)
        declared_check_known("plan", reply, faults);
    else if (op)
        check_map(op->reply, &text_member, reply, &here, faults);
    json_decref(asked);
}
