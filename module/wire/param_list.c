/* param_list.c -- reading parameters that are given as data: see param_list.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "param_list.h"

#include "buf.h"
#include "cleanup.h"
#include "reply.h"

#include <stdlib.h>
#include <string.h>

static int refuse(size_t i, const char *what, struct error *e) {
    return fail(e, AQFS_INVALID_ARGUMENT, "params: element %zu has %s", i + 1, what);
}

/* Refuses object types, which only the core's own functions can decode. */
static bool find_type(const char *name, enum param_type *out) {
    for (enum param_type type = 0; name && type < PARAM_TYPE_COUNT; type++) {
        bool object = type == PARAM_OBJECT || type == PARAM_OBJECTS;
        if (!object && strcmp(param_type_name(type), name) == 0) {
            *out = type;
            return true;
        }
    }
    return false;
}

/* Joins WORDS to "a|b|c", as in a row of the table; to NULL when there are none.  False without
 * memory or for a wrong word. */
static bool join_choices(const json_t *words, char **out) {
    struct buf joined = {0};
    *out = NULL;
    if (json_array_size(words) == 0)
        return !words || json_is_null(words) || json_is_array(words);
    for (size_t i = 0; i < json_array_size(words); i++) {
        const char *word = json_string_value(json_array_get(words, i));
        if (!word || strchr(word, '|')) {
            buf_free(&joined);
            return false;
        }
        if (i > 0)
            buf_char(&joined, '|');
        buf_str(&joined, word);
    }
    *out = joined.failed ? NULL : joined.data;
    if (joined.failed)
        buf_free(&joined);
    return *out != NULL;
}

static bool holds_json(const char *text) {
    json_t *v = json_loads(text, JSON_DECODE_ANY, NULL);
    json_decref(v);
    return v != NULL;
}

static int64_t bound(const json_t *object, const char *name, int64_t otherwise) {
    const json_t *v = json_object_get(object, name);
    return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

static int read_param(const json_t *object, size_t i, struct param *p, char **choices,
                      struct error *e) {
    p->name = json_string_value(json_object_get(object, "name"));
    if (!p->name)
        return refuse(i, "no name", e);
    if (!find_type(json_string_value(json_object_get(object, "type")), &p->type))
        return refuse(i, "no type that is known", e);
    if (!join_choices(json_object_get(object, "choices"), choices) ||
        (p->type == PARAM_CHOICE) != (*choices != NULL))
        return refuse(i, "no choices that its type can have", e);
    p->choices = *choices;
    if (p->type == PARAM_EDITS) {
        p->members = edit_params;
        p->member_n = EDIT_MEMBER_COUNT;
    }
    p->required = json_is_true(json_object_get(object, "required"));
    p->standard = json_string_value(json_object_get(object, "default"));
    if (p->standard && !holds_json(p->standard))
        return refuse(i, "a default that is not JSON text", e);
    p->least = bound(object, "least", INT64_MIN);
    p->most = bound(object, "most", INT64_MAX);
    return AQFS_OK;
}

int param_list_read(const json_t *list, struct param_list *out, struct error *e) {
    size_t n = json_array_size(list);
    *out = (struct param_list){0};
    if (list && !json_is_array(list) && !json_is_null(list))
        return fail(e, AQFS_INVALID_ARGUMENT, "params: expected a list, got %s",
                    json_type_word(list));
    out->all = calloc(n + 1, sizeof *out->all);
    out->choices = calloc(n + 1, sizeof *out->choices);
    if (!out->all || !out->choices)
        return fail_memory(e);
    out->params = (struct params){out->all, n};
    for (size_t i = 0; i < n; i++) {
        int code = read_param(json_array_get(list, i), i, &out->all[i], &out->choices[i], e);
        if (code)
            return code;
    }
    return AQFS_OK;
}

void param_list_free(struct param_list *list) {
    for (size_t i = 0; list->choices && i < list->params.n; i++)
        free(list->choices[i]);
    free(list->choices);
    free(list->all);
    *list = (struct param_list){0};
}

/* -- writing decoded values -------------------------------------------------------------------- */

static void write_text(struct reply *r, struct text_ref text) {
    reply_string(r, text.data, text.len);
}

static void write_strings(struct reply *r, const struct value *v) {
    reply_list(r);
    for (size_t i = 0; i < v->count; i++)
        write_text(r, v->list[i]);
    reply_end_list(r);
}

static void write_value(struct reply *r, const struct param *p, const struct value *v);

static void write_edits(struct reply *r, const struct param *p, const struct value *v) {
    reply_list(r);
    for (size_t i = 0; i < v->count; i++) {
        reply_map(r);
        for (size_t k = 0; k < p->member_n; k++) {
            const struct value *member = &v->members[i * p->member_n + k];
            if (!member->given)
                continue;
            reply_key(r, p->members[k].name);
            write_value(r, &p->members[k], member);
        }
        reply_end_map(r);
    }
    reply_end_list(r);
}

static void write_value(struct reply *r, const struct param *p, const struct value *v) {
    switch (p->type) {
    case PARAM_INTEGER:
        reply_kv_int(r, NULL, v->integer);
        break;
    case PARAM_BOOLEAN:
        reply_kv_bool(r, NULL, v->boolean);
        break;
    case PARAM_STRINGS:
        write_strings(r, v);
        break;
    case PARAM_EDITS:
        write_edits(r, p, v);
        break;
    default:
        write_text(r, v->text);
    }
}

int param_list_check(const struct param_list *list, const json_t *args, struct reply *r,
                     struct error *e) {
    const struct params *params = &list->params;
    struct value *values = calloc(params->n + 1, sizeof *values);
    if (!values)
        return fail_memory(e);
    int code = args_decode(params->all, params->n, args, values, e);
    reply_map(r);
    for (size_t i = 0; !code && i < params->n; i++) {
        if (!values[i].known)
            continue;
        reply_key(r, params->all[i].name);
        write_value(r, &params->all[i], &values[i]);
    }
    reply_end_map(r);
    args_free(values, params->n);
    free(values);
    return code;
}
