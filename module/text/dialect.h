/* dialect.h -- which Lisp a text is written in.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DIALECT_H
#define AQFS_DIALECT_H

#include <stddef.h>

/* X(constant, the word in arguments and replies) */
#define DIALECTS(X)                                                                                \
    X(COMMON_LISP, "common-lisp")                                                                  \
    X(EMACS_LISP, "emacs-lisp")                                                                    \
    X(SCHEME, "scheme")                                                                            \
    X(CLOJURE, "clojure")

#define X(constant, name) DIALECT_##constant,
enum dialect { DIALECT_NONE, DIALECTS(X) DIALECT_COUNT };
#undef X

/* The dialect of that word, or DIALECT_NONE. */
enum dialect dialect_by_word(const char *word, size_t n);

/* The word of DIALECT, which is not DIALECT_NONE. */
const char *dialect_word(enum dialect dialect);

/* The dialect by the mode line of TEXT (`-*- mode: lisp -*-` in the first two lines), else by the
 * ending of the file's name PATH, else by the program that a line `#!` names.  DIALECT_NONE if
 * nothing tells that it is a Lisp. */
enum dialect dialect_of(const char *path, size_t path_len, const char *text, size_t len);

#endif
