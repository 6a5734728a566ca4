/* emacs_env.c -- the one layer that touches env->.
 *
 * SPDX-License-Identifier: MIT
 */
#include "emacs_env.h"

#include "utf8.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* Global references live as long as Emacs does: a module is never unloaded. */
static emacs_value symbols[LISP_SYMBOL_COUNT];

bool lisp_setup(emacs_env *env) {
    static const char *const names[] = {
#define X(constant, name) [LISP_##constant] = (name),
        LISP_SYMBOLS(X)
#undef X
    };
    for (size_t i = 0; i < LISP_SYMBOL_COUNT; i++)
        symbols[i] = env->make_global_ref(env, env->intern(env, names[i]));
    return !lisp_exiting(env);
}

void lisp_define(emacs_env *env, const char *name, ptrdiff_t arity, emacs_function function,
                 const char *doc) {
    emacs_value made = env->make_function(env, arity, arity, function, doc, NULL);
    emacs_value args[] = {env->intern(env, name), made};
    env->funcall(env, symbols[LISP_DEFALIAS], 2, args);
}

bool lisp_exiting(emacs_env *env) {
    return env->non_local_exit_check(env) != emacs_funcall_exit_return;
}

bool lisp_may_go_on(void *env) {
    emacs_env *e = env;
    return e->process_input(e) == emacs_process_input_continue;
}

emacs_value lisp_symbol(enum lisp_symbol symbol) {
    return symbols[symbol];
}

bool lisp_is(emacs_env *env, emacs_value v, enum lisp_symbol symbol) {
    return env->eq(env, v, symbols[symbol]);
}

emacs_value lisp_call1(emacs_env *env, enum lisp_symbol function, emacs_value a) {
    return env->funcall(env, symbols[function], 1, &a);
}

emacs_value lisp_cons(emacs_env *env, emacs_value a, emacs_value b) {
    emacs_value args[] = {a, b};
    return env->funcall(env, symbols[LISP_CONS], 2, args);
}

enum lisp_symbol lisp_type(emacs_env *env, emacs_value v) {
    static const enum lisp_symbol types[] = {LISP_STRING, LISP_SYMBOL, LISP_INTEGER, LISP_CONS,
                                             LISP_VECTOR, LISP_FLOAT,  LISP_USER_PTR};
    emacs_value type = env->type_of(env, v);
    if (lisp_exiting(env))
        return LISP_NIL;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (lisp_is(env, type, types[i]))
            return types[i];
    return LISP_NIL;
}

bool lisp_integer(emacs_env *env, emacs_value v, int64_t *out) {
    if (lisp_exiting(env))
        return false;
    intmax_t n = env->extract_integer(env, v);
    if (lisp_exiting(env)) {
        env->non_local_exit_clear(env);
        return false;
    }
    *out = n;
    return true;
}

double lisp_float(emacs_env *env, emacs_value v) {
    return env->extract_float(env, v);
}

/* Of text that it decodes, Emacs 28 makes three strings, two of them garbage at once.  The reader
 * makes strings of ASCII unibyte, too. */
emacs_value lisp_make_string(emacs_env *env, const char *utf8, size_t n) {
    if (utf8_is_ascii(utf8, n))
        return env->make_unibyte_string(env, utf8, (ptrdiff_t)n);
    return env->make_string(env, utf8, (ptrdiff_t)n);
}

emacs_value lisp_make_bytes(emacs_env *env, const char *bytes, size_t n) {
    return env->make_unibyte_string(env, bytes, (ptrdiff_t)n);
}

static int fail_not_text(struct error *e) {
    fail(e, AQFS_ENCODING, "the string holds bytes or characters that are not Unicode text");
    error_hint(e, "Decode it first, as with (decode-coding-string STRING 'utf-8); pass a file name "
                  "as listings show it.");
    return AQFS_ENCODING;
}

/* Emacs hands out the bytes of an undecoded string unchanged, and they may be UTF-8 by chance. Each
 * byte is a character of that string then, so the string has more characters than its UTF-8. */
static bool is_decoded_text(const char *data, size_t n, int64_t characters) {
    return utf8_is_valid(data, n) && utf8_count(data, n) == (size_t)characters;
}

int lisp_bytes(emacs_env *env, emacs_value string, char **out, size_t *n, struct error *e) {
    ptrdiff_t size = 0; /* with the NUL */
    char *data = NULL;
    if (lisp_exiting(env))
        return LISP_EXIT;
    if (env->copy_string_contents(env, string, NULL, &size)) {
        data = *out = malloc((size_t)size);
        if (!data)
            return fail_memory(e);
    }
    /* Emacs signals for a string that it cannot encode: that is an error of ours, with a hint. */
    if (!data || !env->copy_string_contents(env, string, data, &size)) {
        env->non_local_exit_clear(env);
        return fail_not_text(e);
    }
    *n = (size_t)size - 1;
    return AQFS_OK;
}

int lisp_text(emacs_env *env, emacs_value string, char **out, size_t *n, struct error *e) {
    int code = lisp_bytes(env, string, out, n, e);
    int64_t characters = 0;
    if (code || utf8_is_ascii(*out, *n))
        return code;
    if (!lisp_integer(env, lisp_call1(env, LISP_LENGTH, string), &characters))
        return LISP_EXIT;
    return is_decoded_text(*out, *n, characters) ? AQFS_OK : fail_not_text(e);
}

int64_t lisp_list_length(emacs_env *env, emacs_value list) {
    emacs_value length = lisp_call1(env, LISP_PROPER_LIST_P, list);
    if (lisp_exiting(env) || !env->is_not_nil(env, length))
        return -1;
    return env->extract_integer(env, length);
}

emacs_value lisp_pop(emacs_env *env, emacs_value *list) {
    emacs_value first = lisp_call1(env, LISP_CAR, *list);
    *list = lisp_call1(env, LISP_CDR, *list);
    return first;
}

int64_t lisp_vector_length(emacs_env *env, emacs_value vector) {
    return env->vec_size(env, vector);
}

emacs_value lisp_vector_get(emacs_env *env, emacs_value vector, int64_t i) {
    return env->vec_get(env, vector, i);
}

emacs_value lisp_make_pointer(emacs_env *env, emacs_finalizer finalizer, void *pointer) {
    return env->make_user_ptr(env, finalizer, pointer);
}

void *lisp_pointer(emacs_env *env, emacs_value v, emacs_finalizer finalizer) {
    if (lisp_type(env, v) != LISP_USER_PTR || env->get_user_finalizer(env, v) != finalizer)
        return NULL;
    return env->get_user_ptr(env, v);
}

int lisp_open_channel(emacs_env *env, emacs_value pipe) {
    if (lisp_exiting(env))
        return -1;
    int fd = env->open_channel(env, pipe);
    if (lisp_exiting(env)) {
        env->non_local_exit_clear(env);
        return -1;
    }
    /* The descriptor is ours, but Emacs leaves it blocking and lets children inherit it. */
    (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    return fd;
}
