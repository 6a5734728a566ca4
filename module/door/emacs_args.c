/* emacs_args.c -- converting Lisp values to a request's JSON.
 *
 * The arguments come from people, programs and models: every list may be circular,
 * every string undecoded, and every call into Lisp may leave a non-local exit.
 * A function below returns LISP_EXIT then, and Emacs goes on with that exit when
 * the module returns.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emacs_args.h"

#include "cleanup.h"
#include "options.h"
#include "param_list.h"
#include "path.h"

#include <string.h>

/* JSON is a tree, Lisp data need not be: a list of a few conses that share parts becomes a tree of
 * any size.  So the values that are made are counted. */
#define DEPTH_MAX 32
#define VALUES_MAX 1000000

#define NO_PLIST "expected a property list, neither circular nor dotted"

struct conversion {
    emacs_env *env;
    struct error *error;
    const struct params *params; /* the outermost keys name these; NULL if any key will do */
    const char *key;             /* the outermost key, for messages; NULL outside of a member */
    const struct param *param;   /* the parameter that KEY names, or NULL */
    int64_t values;              /* made until now */
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

/* Puts the key before a message of lisp_text, which does not know the key. */
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
    size_t n;
    int code = lisp_text(c->env, v, &text, &n, c->error);
    if (code)
        return name_key(c, code);
    *out = json_stringn_nocheck(text, n);
    return AQFS_OK;
}

static int convert_integer(struct conversion *c, emacs_value v, json_t **out) {
    int64_t n = 0;
    if (!lisp_integer(c->env, v, &n))
        return lisp_exiting(c->env) ? LISP_EXIT : refuse_value(c, "the integer is too large");
    *out = json_integer(n);
    return AQFS_OK;
}

static int convert_float(struct conversion *c, emacs_value v, json_t **out) {
    *out = json_real(lisp_float(c->env, v));
    return *out ? AQFS_OK : refuse_value(c, "the number is not finite");
}

static int convert_symbol(struct conversion *c, emacs_value v, json_t **out) {
    if (lisp_is(c->env, v, LISP_T))
        *out = json_true();
    else if (lisp_is(c->env, v, LISP_FALSE) || lisp_is(c->env, v, LISP_JSON_FALSE))
        *out = json_false();
    else if (lisp_is(c->env, v, LISP_NULL) || lisp_is(c->env, v, LISP_NIL))
        *out = json_null();
    if (*out)
        return AQFS_OK;
    /* A symbol may stand for one of several words.  For a path or a text it is a slip. */
    if (c->param && c->param->type != PARAM_CHOICE)
        return refuse_value(c, "expected a value, got a symbol");
    AUTO_FREE char *name = NULL;
    size_t n = 0;
    int code = lisp_text(c->env, lisp_call1(c->env, LISP_SYMBOL_NAME, v), &name, &n, c->error);
    if (code)
        return name_key(c, code);
    bool keyword = name[0] == ':';
    *out = json_stringn_nocheck(name + keyword, n - keyword);
    return AQFS_OK;
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
    if (lisp_type(c->env, first) != LISP_SYMBOL)
        return false;
    emacs_value string = lisp_call1(c->env, LISP_SYMBOL_NAME, first);
    return lisp_text(c->env, string, &name, &n, &ignored) == AQFS_OK && name[0] == ':';
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
    int code = AQFS_OK;
    *out = NULL;
    switch (lisp_type(c->env, v)) {
    case LISP_STRING:
        code = convert_string(c, v, out);
        break;
    case LISP_INTEGER:
        code = convert_integer(c, v, out);
        break;
    case LISP_FLOAT:
        code = convert_float(c, v, out);
        break;
    case LISP_SYMBOL:
        code = convert_symbol(c, v, out);
        break;
    case LISP_VECTOR:
        code = convert_vector(c, v, depth + 1, out);
        break;
    case LISP_CONS:
        code = convert_list(c, v, depth + 1, out);
        break;
    default:
        code = lisp_exiting(c->env) ? LISP_EXIT
                                    : refuse_value(c, "expected a string, number, boolean or list");
    }
    return code || *out ? code : fail_memory(c->error);
}

/* Converts the value of a member.  *OUT stays NULL if V means that the member is absent: :null
 * does, and nil does unless the parameter's type has a false or an empty value. */
static int member_value(struct conversion *c, emacs_value v, int depth, json_t **out) {
    const struct param *p = depth == 0 ? c->param : NULL;
    /* An unknown name stays, with null, so that the core refuses it by name. */
    bool unknown = depth == 0 && c->params && !p;
    if (!lisp_is(c->env, v, LISP_NIL)) {
        int code = convert_value(c, v, depth, out);
        if (!code && json_is_null(*out) && !unknown)
            *out = NULL; /* jansson does not count references to null */
        return code;
    }
    if (p && p->type == PARAM_BOOLEAN)
        *out = json_false();
    else if (p && p->type == PARAM_STRINGS)
        *out = json_array();
    else if (unknown)
        *out = json_null();
    return AQFS_OK;
}

/* The name in V with underscores, as JSON spells it: `:max-depth` and "max_depth" are both
 * "max_depth".  With KEYWORD a symbol must be a keyword.  EXPECTED is the message for any other
 * value. */
static int name_text(struct conversion *c, emacs_value v, bool keyword, const char *expected,
                     char **out) {
    AUTO_FREE char *name = NULL;
    size_t n = 0;
    enum lisp_symbol type = lisp_type(c->env, v);
    int code = LISP_EXIT;
    if (type == LISP_SYMBOL)
        v = lisp_call1(c->env, LISP_SYMBOL_NAME, v);
    if (type == LISP_SYMBOL || type == LISP_STRING)
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
    if (depth == 0) {
        c->key = name;
        for (size_t i = 0; c->params && i < c->params->n && !c->param; i++)
            if (strcmp(c->params->all[i].name, name) == 0)
                c->param = &c->params->all[i];
    }
    if (json_object_get(object, name))
        code = refuse_value(c, "given twice");
    else
        code = member_value(c, lisp_pop(c->env, rest), depth, &value);
    if (!code && value && json_object_set_new_nocheck(object, name, value) != 0)
        code = fail_memory(c->error);
    if (depth == 0) {
        c->key = NULL; /* the name is freed now */
        c->param = NULL;
    }
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

int args_request(emacs_env *env, emacs_value op, emacs_value args, emacs_value how, json_t **out,
                 bool *slow, struct error *e) {
    struct conversion c = {.env = env, .error = e, .key = "operation"};
    AUTO_FREE char *name = NULL;
    AUTO(cleanup_json) json_t *request = NULL, *object = NULL;
    int code = name_text(&c, op, false, "expected a symbol or a string", &name);
    if (code)
        return code;
    /* An unknown operation has no row: its arguments are converted by no parameters, and the core
     * refuses it by name. */
    const struct op *row = op_find(name);
    const struct params params = {row ? row->params : NULL, row ? row->param_count : 0};
    *slow = row && row->slow;
    c = (struct conversion){.env = env, .error = e, .params = row ? &params : NULL};
    code = convert_plist(&c, args, 0, &object);
    if (code)
        return code;
    c = (struct conversion){.env = env, .error = e};
    code = convert_plist(&c, how, 0, &request);
    if (code)
        return code;
    if (json_object_set_new(request, "args", steal_pointer(&object)) != 0 ||
        json_object_set_new(request, "op", json_string(name)) != 0)
        return fail_memory(e);
    *out = steal_pointer(&request);
    return AQFS_OK;
}

int args_options(emacs_env *env, emacs_value options, json_t **out, struct error *e) {
    const struct params params = {option_params, OPT_COUNT};
    struct conversion c = {.params = &params, .env = env, .error = e};
    return convert_plist(&c, options, 0, out);
}

int args_check(emacs_env *env, emacs_value params, emacs_value args, struct reply *r,
               struct error *e) {
    struct conversion c = {.env = env, .error = e, .key = "params"};
    AUTO(cleanup_json) json_t *list = NULL, *object = NULL;
    AUTO(param_list_free) struct param_list known = {0};
    int code = convert_value(&c, params, 0, &list);
    code = code ? code : param_list_read(list, &known, e);
    c = (struct conversion){.env = env, .error = e, .params = &known.params};
    code = code ? code : convert_plist(&c, args, 0, &object);
    return code ? code : param_list_check(&known, object, r, e);
}
