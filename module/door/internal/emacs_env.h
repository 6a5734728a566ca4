/* emacs_env.h -- the one layer that touches env->.
 *
 * Emacs records a non-local exit (signal, throw, quit) in the env instead of
 * jumping over our frames.  After that every helper does nothing and answers
 * NULL, 0 or false; whoever would use such an answer asks lisp_exiting first.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_EMACS_ENV_H
#define AQFS_EMACS_ENV_H

#include "error.h"

#include <emacs-module.h>
#include <stddef.h>
#include <stdint.h>

#define LISP_SYMBOLS(X)                                                                            \
    X(NIL, "nil")                                                                                  \
    X(T, "t")                                                                                      \
    X(FALSE, ":false")                                                                             \
    X(JSON_FALSE, ":json-false")                                                                   \
    X(NULL, ":null")                                                                               \
    X(CAR, "car")                                                                                  \
    X(CDR, "cdr")                                                                                  \
    X(CONS, "cons")                                                                                \
    X(DEFALIAS, "defalias")                                                                        \
    X(FLOAT, "float")                                                                              \
    X(INTEGER, "integer")                                                                          \
    X(LENGTH, "length")                                                                            \
    X(PROPER_LIST_P, "proper-list-p")                                                              \
    X(STRING, "string")                                                                            \
    X(SYMBOL, "symbol")                                                                            \
    X(SYMBOL_NAME, "symbol-name")                                                                  \
    X(USER_PTR, "user-ptr")                                                                        \
    X(VECTOR, "vector")

enum lisp_symbol {
#define X(constant, name) LISP_##constant,
    LISP_SYMBOLS(X)
#undef X
        LISP_SYMBOL_COUNT
};

/* What helpers answer, beside AQFS_OK and the codes of error.h, when Emacs is on its way out. */
#define LISP_EXIT (-1)

/* Interns the symbols, once, as global references; false when Emacs is exiting. */
bool lisp_setup(emacs_env *env);

/* Makes FUNCTION known to Lisp as NAME, taking ARITY arguments. */
void lisp_define(emacs_env *env, const char *name, ptrdiff_t arity, emacs_function function,
                 const char *doc);

bool lisp_exiting(emacs_env *env);

/* Lets Emacs look at its input; false when it wants us to return, now. */
bool lisp_may_go_on(emacs_env *env);

emacs_value lisp_symbol(enum lisp_symbol symbol);
bool lisp_is(emacs_env *env, emacs_value v, enum lisp_symbol symbol);
emacs_value lisp_call1(emacs_env *env, enum lisp_symbol function, emacs_value a);
emacs_value lisp_cons(emacs_env *env, emacs_value a, emacs_value b);

/* LISP_STRING, LISP_VECTOR, ...: one of the type symbols above, LISP_NIL for any other type. */
enum lisp_symbol lisp_type(emacs_env *env, emacs_value v);

/* False when V is an integer of more than 64 bits. */
bool lisp_integer(emacs_env *env, emacs_value v, int64_t *out);
double lisp_float(emacs_env *env, emacs_value v);
emacs_value lisp_make_string(emacs_env *env, const char *utf8, size_t n);

/* A string's text as UTF-8, NUL-terminated and to be freed.  AQFS_ENCODING when it is not text:
 * raw bytes, undecoded (unibyte) bytes, surrogates, characters that Unicode does not have. */
int lisp_text(emacs_env *env, emacs_value string, char **out, size_t *n, struct error *e);

/* A symbol's name likewise. */
int lisp_symbol_text(emacs_env *env, emacs_value symbol, char **out, size_t *n, struct error *e);

/* The length of a list, or -1 when it is circular or improper. */
int64_t lisp_list_length(emacs_env *env, emacs_value list);
emacs_value lisp_pop(emacs_env *env, emacs_value *list);

int64_t lisp_vector_length(emacs_env *env, emacs_value vector);
emacs_value lisp_vector_get(emacs_env *env, emacs_value vector, int64_t i);

/* FINALIZER also says what kind of thing a pointer is: lisp_pointer answers NULL for every value
 * that lisp_make_pointer did not make with the same one. */
emacs_value lisp_make_pointer(emacs_env *env, emacs_finalizer finalizer, void *pointer);
void *lisp_pointer(emacs_env *env, emacs_value v, emacs_finalizer finalizer);

/* A descriptor of the caller's own that writes to PIPE's filter, or -1 when PIPE is no pipe
 * process. */
int lisp_open_channel(emacs_env *env, emacs_value pipe);

#endif
