/* args.c -- decoding a request's JSON into checked values: see args.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "args.h"

#include "path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Doubles above this do not hold every integer, so they are not accepted as integers. */
#define FLOAT_EXACT 9007199254740992.0

const char *json_type_word(const json_t *v) {
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        return "an object";
    case JSON_ARRAY:
        return "a list";
    case JSON_STRING:
        return "a string";
    case JSON_INTEGER:
        return "an integer";
    case JSON_REAL:
        return "a number with a fraction";
    case JSON_TRUE:
    case JSON_FALSE:
        return "a boolean";
    default:
        return "null";
    }
}

const char *param_type_name(enum param_type type) {
#define X(constant, name) name,
    static const char *const names[PARAM_TYPE_COUNT] = {PARAM_TYPES(X)};
#undef X
    return names[type];
}

const struct param edit_params[EDIT_MEMBER_COUNT] = {
    [EDIT_OLD_STR] = {.name = "old_str",
                      .type = PARAM_STRING,
                      .required = true,
                      .doc = EDIT_OLD_STR_WORDS},
    [EDIT_NEW_STR] = {.name = "new_str",
                      .type = PARAM_STRING,
                      .required = true,
                      .doc = EDIT_NEW_STR_WORDS},
    [EDIT_REPLACE_ALL] = {.name = "replace_all",
                          .type = PARAM_BOOLEAN,
                          .standard = "false",
                          .doc = EDIT_REPLACE_ALL_WORDS},
    [EDIT_EXPECTED] = {.name = "expected_replacements",
                       .type = PARAM_INTEGER,
                       .least = 1,
                       .most = EDIT_EXPECTED_MOST,
                       .doc = EDIT_EXPECTED_WORDS},
};

static int wrong_type(const struct param *p, const char *expected, const json_t *v,
                      struct error *e) {
    return fail(e, AQFS_INVALID_ARGUMENT, "%s: expected %s, got %s", p->name, expected,
                json_type_word(v));
}

static int decode_integer(const struct param *p, const json_t *v, struct value *out,
                          struct error *e) {
    if (json_is_real(v)) {
        double d = json_real_value(v);
        if (!(fabs(d) <= FLOAT_EXACT) || d != floor(d))
            return wrong_type(p, "an integer", v, e);
        out->integer = (int64_t)d;
    } else if (json_is_integer(v)) {
        out->integer = json_integer_value(v);
    } else {
        return wrong_type(p, "an integer", v, e);
    }
    if (out->integer < p->least || out->integer > p->most)
        return fail(e, AQFS_INVALID_ARGUMENT, "%s: expected an integer from %lld to %lld, got %lld",
                    p->name, (long long)p->least, (long long)p->most, (long long)out->integer);
    return AQFS_OK;
}

static int decode_boolean(const struct param *p, const json_t *v, struct value *out,
                          struct error *e) {
    if (!json_is_boolean(v))
        return wrong_type(p, "true or false", v, e);
    out->boolean = json_is_true(v);
    return AQFS_OK;
}

static int decode_choice(const struct param *p, const json_t *v, struct value *out,
                         struct error *e) {
    const char *word = json_string_value(v);
    size_t n = json_string_length(v);
    for (const char *choice = p->choices; word && choice;) {
        size_t len = strcspn(choice, "|");
        if (len == n && memcmp(choice, word, n) == 0) {
            out->text = (struct text_ref){word, n};
            return AQFS_OK;
        }
        choice = choice[len] ? choice + len + 1 : NULL;
    }
    if (!word)
        return fail(e, AQFS_INVALID_ARGUMENT, "%s: expected one of %s, got %s", p->name, p->choices,
                    json_type_word(v));
    return fail(e, AQFS_INVALID_ARGUMENT, "%s: expected one of %s, got another word", p->name,
                p->choices);
}

/* Models often send a list as text: "[\"*.fasl\"]".  Returns the list in it, or V itself. */
static const json_t *list_in_string(const json_t *v, struct value *out) {
    const char *text = json_string_value(v);
    if (!text || text[strspn(text, " \t\r\n")] != '[')
        return v;
    out->parsed = json_loadb(text, json_string_length(v), JSON_ALLOW_NUL, NULL);
    return out->parsed ? out->parsed : v;
}

static int decode_strings(const struct param *p, const json_t *given, struct value *out,
                          struct error *e) {
    const json_t *v = list_in_string(given, out);
    bool lone = p->lone && json_is_string(v);
    if (!json_is_array(v) && !lone)
        return wrong_type(p, "a list of strings", v, e);
    size_t n = json_array_size(v);
    out->list = calloc(n + 1, sizeof *out->list);
    if (!out->list)
        return fail_memory(e);
    if (lone && json_string_length(v) > 0)
        out->list[out->count++] = (struct text_ref){json_string_value(v), json_string_length(v)};
    if (lone)
        return AQFS_OK;
    for (size_t i = 0; i < n; i++) {
        const json_t *item = json_array_get(v, i);
        if (!json_is_string(item))
            return fail(e, AQFS_INVALID_ARGUMENT,
                        "%s: expected a list of strings, but element %zu is %s", p->name, i + 1,
                        json_type_word(item));
        out->list[i] = (struct text_ref){json_string_value(item), json_string_length(item)};
    }
    out->count = n;
    return AQFS_OK;
}

static int decode_edit(const struct param *p, const json_t *edit, size_t i, struct value *out,
                       struct error *e) {
    struct error inner;
    if (!json_is_object(edit))
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "%s: expected objects with %s and so on, but element %zu is %s", p->name,
                    p->members[0].name, i + 1, json_type_word(edit));
    int code = args_decode(p->members, p->member_n, edit, out, &inner);
    if (code == AQFS_INVALID_ARGUMENT)
        return fail(e, AQFS_INVALID_ARGUMENT, "%s: element %zu: %s", p->name, i + 1, inner.message);
    return code ? fail_memory(e) : AQFS_OK;
}

static int decode_edits(const struct param *p, const json_t *given, struct value *out,
                        struct error *e) {
    const json_t *v = list_in_string(given, out);
    if (!json_is_array(v))
        return wrong_type(p, "a list of at least one edit", v, e);
    size_t n = json_array_size(v);
    if (n == 0)
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "%s: expected a list of at least one edit, got an empty list", p->name);
    out->members = calloc(n * p->member_n, sizeof *out->members);
    if (!out->members)
        return fail_memory(e);
    out->count = n;
    out->member_n = p->member_n;
    for (size_t i = 0; i < n; i++) {
        int code = decode_edit(p, json_array_get(v, i), i, out->members + i * p->member_n, e);
        if (code)
            return code;
    }
    return AQFS_OK;
}

static int decode_json(const struct param *p, const json_t *v, struct value *out, struct error *e) {
    bool one = p->type == PARAM_OBJECT;
    if (one ? !json_is_object(v) : !json_is_array(v))
        return wrong_type(p, one ? "an object" : "a list of objects", v, e);
    out->json = v;
    return AQFS_OK;
}

static int decode_value(const struct param *p, const json_t *v, struct value *out,
                        struct error *e) {
    switch (p->type) {
    case PARAM_INTEGER:
        return decode_integer(p, v, out, e);
    case PARAM_BOOLEAN:
        return decode_boolean(p, v, out, e);
    case PARAM_STRINGS:
        return decode_strings(p, v, out, e);
    case PARAM_CHOICE:
        return decode_choice(p, v, out, e);
    case PARAM_EDITS:
        return decode_edits(p, v, out, e);
    case PARAM_OBJECT:
    case PARAM_OBJECTS:
        return decode_json(p, v, out, e);
    case PARAM_STRING:
    case PARAM_PATH:
    case PARAM_TYPE_COUNT:
        break;
    }
    if (!json_is_string(v))
        return wrong_type(p, "a string", v, e);
    out->text = (struct text_ref){json_string_value(v), json_string_length(v)};
    return AQFS_OK;
}

/* Many clients send null for an argument that they do not give. */
static bool is_given(const json_t *args, const char *name) {
    const json_t *v = name ? json_object_get(args, name) : NULL;
    return v && !json_is_null(v);
}

static int decode_one(const struct param *p, const json_t *args, struct value *out,
                      struct error *e) {
    const bool given = is_given(args, p->name);
    json_t *standard = NULL;
    if (!given && p->required && !is_given(args, p->unless))
        return fail(e, AQFS_INVALID_ARGUMENT, "%s: this argument is required", p->name);
    if (!given && !p->standard)
        return AQFS_OK;
    if (!given && !(standard = json_loads(p->standard, JSON_DECODE_ANY, NULL)))
        return fail_memory(e);
    int code = decode_value(p, given ? json_object_get(args, p->name) : standard, out, e);
    if (standard) /* a default is never a list in a string, so this overwrites nothing */
        out->parsed = standard;
    out->known = code == AQFS_OK;
    out->given = given && out->known;
    return code;
}

static int refuse_unknown(const struct param *params, size_t n, const char *key, struct error *e) {
    char known[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < n && used < sizeof known; i++) {
        int wrote =
            snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", params[i].name);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    char label[PATH_LABEL];
    return fail(e, AQFS_INVALID_ARGUMENT, "%s: unknown argument; expected %s",
                path_label(key, strlen(key), label), n ? known : "none");
}

int args_decode(const struct param *params, size_t n, const json_t *args, struct value *values,
                struct error *e) {
    for (size_t i = 0; i < n; i++)
        values[i] = (struct value){0};
    if (args && !json_is_null(args) && !json_is_object(args))
        return fail(e, AQFS_INVALID_ARGUMENT, "args: expected an object, got %s",
                    json_type_word(args));
    const char *key;
    json_t *ignored;
    json_object_foreach((json_t *)args, key, ignored) {
        size_t i = 0;
        while (i < n && strcmp(params[i].name, key) != 0)
            i++;
        if (i == n)
            return refuse_unknown(params, n, key, e);
    }
    for (size_t i = 0; i < n; i++) {
        int code = decode_one(&params[i], args, &values[i], e);
        if (code)
            return code;
    }
    return AQFS_OK;
}

void args_free(struct value *values, size_t n) {
    for (size_t i = 0; i < n; i++) {
        free(values[i].list);
        if (values[i].members)
            args_free(values[i].members, values[i].count * values[i].member_n);
        free(values[i].members);
        json_decref(values[i].parsed);
    }
}

size_t args_size(const struct value *values, size_t n) {
    size_t size = 0;
    for (size_t i = 0; i < n; i++) {
        size += values[i].text.len;
        for (size_t k = 0; values[i].list && k < values[i].count; k++)
            size += values[i].list[k].len;
        if (values[i].members)
            size += args_size(values[i].members, values[i].count * values[i].member_n);
    }
    return size;
}
