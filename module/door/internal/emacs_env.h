/* emacs_env.h -- the one layer that touches env->.
 *
 * Emacs records a non-local exit (signal, throw, quit) in the env instead of
 * jumping over our frames.  After that every helper does nothing and returns
 * NULL, 0 or false; callers that would use the result call lisp_exiting first.
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
    X(ESCAPE, "escape")                                                                            \
    X(FLOAT, "float")                                                                              \
    X(INTEGER, "integer")                                                                          \
    X(LENGTH, "length")                                                                            \
    X(PLAIN, "plain")                                                                              \
    X(PROGRESS, "progress")                                                                        \
    X(PROPER_LIST_P, "proper-list-p")                                                              \
    X(SEVERAL, "several")                                                                          \
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

/* A helper's result, beside AQFS_OK and the codes of error.h: a non-local exit is under way. */
#define LISP_EXIT (-1)

/* Interns the symbols as global references; called once.  False on a non-local exit. */
bool lisp_setup(emacs_env *env);

/* Defines FUNCTION in Lisp as NAME, with exactly ARITY arguments and the docstring DOC. */
void lisp_define(emacs_env *env, const char *name, ptrdiff_t arity, emacs_function function,
                 const char *doc);

/* Whether a non-local exit is under way. */
bool lisp_exiting(emacs_env *env);

/* Lets Emacs process its input; false when Emacs wants us to return at once.  ENV is an emacs_env:
 * the type lets this function serve as a struct watch's. */
bool lisp_may_go_on(void *env);

/* The symbol itself. */
emacs_value lisp_symbol(enum lisp_symbol symbol);
/* Whether V is the symbol. */
bool lisp_is(emacs_env *env, emacs_value v, enum lisp_symbol symbol);
/* (FUNCTION A) */
emacs_value lisp_call1(emacs_env *env, enum lisp_symbol function, emacs_value a);
/* (cons A B) */
emacs_value lisp_cons(emacs_env *env, emacs_value a, emacs_value b);

/* V's type: LISP_STRING, LISP_SYMBOL, LISP_INTEGER, LISP_CONS, LISP_VECTOR, LISP_FLOAT or
 * LISP_USER_PTR; LISP_NIL for any other type, and on a non-local exit. */
enum lisp_symbol lisp_type(emacs_env *env, emacs_value v);

/* Sets *OUT to the integer V; false when V needs more than 64 bits, and on a non-local exit. */
bool lisp_integer(emacs_env *env, emacs_value v, int64_t *out);
/* The float V. */
double lisp_float(emacs_env *env, emacs_value v);
/* A string of the N bytes of UTF8. */
emacs_value lisp_make_string(emacs_env *env, const char *utf8, size_t n);

/* A string of the N BYTES, undecoded. */
emacs_value lisp_make_bytes(emacs_env *env, const char *bytes, size_t n);

/* The bytes of STRING, which is undecoded; the caller frees *OUT, after an error too.  What Emacs
 * cannot encode is an error as in lisp_text. */
int lisp_bytes(emacs_env *env, emacs_value string, char **out, size_t *n, struct error *e);

/* The text of STRING as UTF-8, NUL-terminated; the caller frees *OUT, after an error too.
 * AQFS_ENCODING when STRING is not text: raw bytes, undecoded (unibyte) bytes, surrogates, or
 * characters that Unicode does not have.  LISP_EXIT on a non-local exit, also one from the call
 * that made STRING. */
int lisp_text(emacs_env *env, emacs_value string, char **out, size_t *n, struct error *e);

/* The length of LIST; -1 when it is circular or improper, and on a non-local exit. */
int64_t lisp_list_length(emacs_env *env, emacs_value list);
/* The first element of *LIST, which becomes the rest. */
emacs_value lisp_pop(emacs_env *env, emacs_value *list);

/* The length of VECTOR, and its element I. */
int64_t lisp_vector_length(emacs_env *env, emacs_value vector);
emacs_value lisp_vector_get(emacs_env *env, emacs_value vector, int64_t i);

/* A Lisp value that holds POINTER.  The garbage collector calls FINALIZER with it. */
emacs_value lisp_make_pointer(emacs_env *env, emacs_finalizer finalizer, void *pointer);
/* The pointer in V.  FINALIZER marks the kind of pointer: NULL unless lisp_make_pointer made V with
 * the same one. */
void *lisp_pointer(emacs_env *env, emacs_value v, emacs_finalizer finalizer);

/* A new descriptor, which does not block; what is written to it reaches the filter of PIPE.  The
 * caller closes it.  -1 when PIPE is not a live pipe process. */
int lisp_open_channel(emacs_env *env, emacs_value pipe);

#endif
