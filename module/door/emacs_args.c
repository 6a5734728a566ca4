/* emacs_args.c -- from Lisp values to a request's JSON.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emacs_args.h"

#include "cleanup.h"
#include "param_list.h"
#include "path.h"

#include <string.h>

#define DEPTH_MAX 32
#define VALUES_MAX 1000000 /* a structure may share parts, and so be far larger than it looks */

#define NO_PLIST "expected a property list, neither circular nor dotted"

struct conversion {
    emacs_env *env;
    struct error *error;
    const struct params *params; /* that the keys are of, or NULL */
    const char *key;             /* the outermost, for messages */
    int64_t values;
};

void cleanup_json(void *p) {
    json_decref(*(json_t **)p);
}

static int convert_value(struct conversion *c, emacs_value v, int depth, json_t **out);
static int convert_plist(struct conversion *c, emacs_value plist, int depth, json_t **out);

static int refuse_value(struct conversion *c, const char *why) {
    char label[PATH_LABEL];
    if (!c->key)
        return fail(c->error, AQFS_INVALID_ARGUMENT, "arguments: %s", why);
    return fail(c->error, AQFS_INVALID_ARGUMENT, "%s: %s",
                path_label(c->key, strlen(c->key), label), why);
}

/* Takes what json_xxx made. */
static int made(struct conversion *c, json_t *value, json_t **out) {
    *out = value;
    return value ? AQFS_OK : fail_memory(c->error);
}

/* Puts the key before a message of lisp_text, which does not know it. */
static int name_key(struct conversion *c, int code) {
    if (code <= AQFS_OK)
        return code;
    struct error e = *c->error;
    char label[PATH_LABEL];
    const char *key = c->key ? c->key : "arguments";
    fail(c->error, e.code, "%s: %s", path_label(key, strlen(key), label), e.message);
    if (e.hint[0])
        error_hint(c->error, "%s", e.hint);
    return code;
}

static int convert_string(struct conversion *c, emacs_value v, json_t **out) {
    AUTO_FREE char *text = NULL;
    size_t n = 0;
    int code = lisp_text(c->env, v, &text, &n, c->error);
    if (code)
        return name_key(c, code);
    return made(c, json_stringn_nocheck(text, n), out);
}

static int convert_integer(struct conversion *c, emacs_value v, json_t **out) {
    int64_t n = 0;
    if (!lisp_integer(c->env, v, &n))
        return lisp_exiting(c->env) ? LISP_EXIT : refuse_value(c, "the integer is too large");
    return made(c, json_integer(n), out);
}

static int convert_float(struct conversion *c, emacs_value v, json_t **out) {
    json_t *real = json_real(lisp_float(c->env, v));
    return real ? made(c, real, out) : refuse_value(c, "the number is not finite");
}

static const struct param *param_of(const struct conversion *c, const char *name) {
    for (size_t i = 0; c->params && name && i < c->params->n; i++)
        if (strcmp(c->params->all[i].name, name) == 0)
            return &c->params->all[i];
    return NULL;
}

/* Only words may be spelled as symbols: a symbol for a path is a slip. */
static bool symbols_allowed(const struct conversion *c) {
    const struct param *p = param_of(c, c->key);
    return !p || p->type == PARAM_CHOICE;
}

static int convert_symbol(struct conversion *c, emacs_value v, json_t **out) {
    if (lisp_is(c->env, v, LISP_T))
        return made(c, json_true(), out);
    if (lisp_is(c->env, v, LISP_FALSE) || lisp_is(c->env, v, LISP_JSON_FALSE))
        return made(c, json_false(), out);
    if (lisp_is(c->env, v, LISP_NULL) || lisp_is(c->env, v, LISP_NIL))
        return made(c, json_null(), out);
    if (!symbols_allowed(c))
        return refuse_value(c, "expected a value, got a symbol");
    AUTO_FREE char *name = NULL;
    size_t n = 0;
    int code = lisp_symbol_text(c->env, v, &name, &n, c->error);
    if (code)
        return name_key(c, code);
    bool keyword = name[0] == ':';
    return made(c, json_stringn_nocheck(name + keyword, n - keyword), out);
}

static int append_item(struct conversion *c, json_t *array, emacs_value v, int depth) {
    json_t *item = NULL;
    if (lisp_exiting(c->env))
        return LISP_EXIT;
    int code = convert_value(c, v, depth, &item);
    if (!code && json_array_append_new(array, item) != 0)
        code = fail_memory(c->error);
    return code;
}

static int convert_vector(struct conversion *c, emacs_value v, int depth, json_t **out) {
    AUTO(cleanup_json) json_t *array = json_array();
    int64_t n = lisp_vector_length(c->env, v);
    int code = array ? AQFS_OK : fail_memory(c->error);
    for (int64_t i = 0; i < n && !code; i++)
        code = append_item(c, array, lisp_vector_get(c->env, v, i), depth);
    if (!code)
        *out = steal_pointer(&array);
    return code;
}

static bool starts_with_keyword(struct conversion *c, emacs_value list) {
    emacs_value first = lisp_call1(c->env, LISP_CAR, list);
    AUTO_FREE char *name = NULL;
    size_t n = 0;
    struct error ignored;
    return lisp_type(c->env, first) == LISP_SYMBOL &&
           lisp_symbol_text(c->env, first, &name, &n, &ignored) == AQFS_OK && name[0] == ':';
}

static int convert_list(struct conversion *c, emacs_value v, int depth, json_t **out) {
    int64_t n = lisp_list_length(c->env, v);
    if (n < 0)
        return lisp_exiting(c->env) ? LISP_EXIT : refuse_value(c, "the list is circular or dotted");
    if (starts_with_keyword(c, v))
        return convert_plist(c, v, depth, out);
    AUTO(cleanup_json) json_t *array = json_array();
    int code = array ? AQFS_OK : fail_memory(c->error);
    while (n-- > 0 && !code)
        code = append_item(c, array, lisp_pop(c->env, &v), depth);
    if (!code)
        *out = steal_pointer(&array);
    return code;
}

static int convert_value(struct conversion *c, emacs_value v, int depth, json_t **out) {
    if (depth > DEPTH_MAX || ++c->values > VALUES_MAX)
        return refuse_value(c, "nested too deep or too large");
    switch (lisp_type(c->env, v)) {
    case LISP_STRING:
        return convert_string(c, v, out);
    case LISP_INTEGER:
        return convert_integer(c, v, out);
    case LISP_FLOAT:
        return convert_float(c, v, out);
    case LISP_SYMBOL:
        return convert_symbol(c, v, out);
    case LISP_VECTOR:
        return convert_vector(c, v, depth + 1, out);
    case LISP_CONS:
        return convert_list(c, v, depth + 1, out);
    default:
        return lisp_exiting(c->env) ? LISP_EXIT
                                    : refuse_value(c, "expected a string, number, boolean or list");
    }
}

/* What nil says about the parameter NAME: *OUT stays NULL where that is nothing. */
static void convert_nil(const struct conversion *c, const char *name, int depth, json_t **out) {
    const struct param *p = depth == 0 ? param_of(c, name) : NULL;
    if (p && p->type == PARAM_BOOLEAN)
        *out = json_false();
    else if (p && p->type == PARAM_STRINGS)
        *out = json_array();
    else if (!p && c->params && depth == 0)
        *out = json_null(); /* for the core to refuse by name */
}

static int member_value(struct conversion *c, const char *name, emacs_value v, int depth,
                        json_t **out) {
    if (lisp_is(c->env, v, LISP_NIL)) {
        convert_nil(c, name, depth, out);
        return AQFS_OK;
    }
    int code = convert_value(c, v, depth, out);
    if (!code && json_is_null(*out) && (param_of(c, name) || !c->params || depth > 0))
        *out = NULL; /* the null of jansson is not counted */
    return code;
}

/* A name, with underscores: `:max-depth` is "max_depth", and so is what JSON has, "max_depth". */
static int name_text(struct conversion *c, emacs_value v, bool keyword, const char *expected,
                     char **out) {
    AUTO_FREE char *name = NULL;
    size_t n = 0;
    enum lisp_symbol type = lisp_type(c->env, v);
    int code = LISP_EXIT;
    if (type == LISP_SYMBOL)
        code = lisp_symbol_text(c->env, v, &name, &n, c->error);
    else if (type == LISP_STRING)
        code = lisp_text(c->env, v, &name, &n, c->error);
    else if (!lisp_exiting(c->env))
        return refuse_value(c, expected);
    if (code)
        return name_key(c, code);
    bool colon = type == LISP_SYMBOL && name[0] == ':';
    if (strlen(name) != n || (type == LISP_SYMBOL && keyword && !colon))
        return refuse_value(c, expected);
    memmove(name, name + colon, n + 1 - colon);
    for (char *p = name; *p; p++)
        if (*p == '-')
            *p = '_';
    *out = steal_pointer(&name);
    return AQFS_OK;
}

static int convert_member(struct conversion *c, emacs_value *rest, int depth, json_t *object) {
    AUTO_FREE char *name = NULL;
    json_t *value = NULL;
    int code =
        name_text(c, lisp_pop(c->env, rest), true, "expected a keyword before each value", &name);
    if (code || !name)
        return code;
    if (depth == 0)
        c->key = name;
    if (json_object_get(object, name))
        code = refuse_value(c, "given twice");
    else
        code = member_value(c, name, lisp_pop(c->env, rest), depth, &value);
    if (!code && value && json_object_set_new_nocheck(object, name, value) != 0)
        code = fail_memory(c->error);
    if (depth == 0)
        c->key = NULL;
    return code;
}

static int convert_plist(struct conversion *c, emacs_value plist, int depth, json_t **out) {
    int64_t n = lisp_list_length(c->env, plist);
    if (n < 0)
        return lisp_exiting(c->env) ? LISP_EXIT : refuse_value(c, NO_PLIST);
    if (n % 2 != 0)
        return refuse_value(c, "the last keyword has no value");
    AUTO(cleanup_json) json_t *object = json_object();
    int code = object ? AQFS_OK : fail_memory(c->error);
    for (; n > 0 && !code; n -= 2)
        code = convert_member(c, &plist, depth, object);
    if (!code && lisp_exiting(c->env))
        code = LISP_EXIT;
    if (!code)
        *out = steal_pointer(&object);
    return code;
}

static int args_of(emacs_env *env, emacs_value args, const struct params *params, json_t **out,
                   struct error *e) {
    struct conversion c = {.env = env, .error = e, .params = params};
    return convert_plist(&c, args, 0, out);
}

int args_request(emacs_env *env, emacs_value op, emacs_value args, emacs_value how, json_t **out,
                 struct error *e) {
    struct conversion c = {.env = env, .error = e, .key = "operation"};
    AUTO_FREE char *name = NULL;
    AUTO(cleanup_json) json_t *request = NULL;
    json_t *object = NULL;
    int code = name_text(&c, op, false, "expected a symbol or a string", &name);
    if (code)
        return code;
    const struct op *row = op_find(name);
    const struct params params = {row ? row->params : NULL, row ? row->param_count : 0};
    code = args_of(env, args, row ? &params : NULL, &object, e);
    if (code)
        return code;
    code = args_of(env, how, NULL, &request, e);
    if (code) {
        json_decref(object);
        return code;
    }
    if (json_object_set_new(request, "args", object) != 0 ||
        json_object_set_new(request, "op", json_string(name)) != 0)
        return fail_memory(e);
    *out = steal_pointer(&request);
    return AQFS_OK;
}

int args_options(emacs_env *env, emacs_value options, json_t **out, struct error *e) {
    return args_of(env, options, NULL, out, e);
}

int args_check(emacs_env *env, emacs_value params, emacs_value args, struct reply *r,
               struct error *e) {
    struct conversion c = {.env = env, .error = e, .key = "params"};
    AUTO(cleanup_json) json_t *list = NULL, *object = NULL;
    AUTO(param_list_free) struct param_list known = {0};
    int code = convert_value(&c, params, 0, &list);
    code = code ? code : param_list_read(list, &known, e);
    code = code ? code : args_of(env, args, &known.params, &object, e);
    return code ? code : param_list_check(&known, object, r, e);
}

bool args_is_slow(const json_t *request) {
    const struct op *op = op_find(json_string_value(json_object_get(request, "op")));
    return op && op->slow;
}
