/* SPDX-License-Identifier: MIT */
/* sexp.h -- the syntax that Emacs, Common Lisp and this file read alike.
 *
 *   "text"     with the escapes \" and \\ and no other; a newline is itself
 *   12 -1 2.5  numbers
 *   word :word
 *   ( ... )    and ; a comment, to the end of its line
 *
 * Replies are in it too.  The caller gives an arena, which owns all data.
 */
#ifndef CONFORMANCE_SEXP_H
#define CONFORMANCE_SEXP_H

#include "arena.h"
#include "buf.h"

#include <stdbool.h>
#include <stddef.h>

enum datum_kind { DATUM_TEXT, DATUM_NUMBER, DATUM_WORD, DATUM_LIST };

struct datum {
    enum datum_kind kind;
    const char *text; /* of a number or word its spelling; a NUL behind it */
    size_t len;
    struct datum **items; /* of a list */
    size_t n;
    int line;
};

struct datum *datum_new(struct arena *a, enum datum_kind kind, const char *text, size_t len);
struct datum *datum_list(struct arena *a);
void datum_push(struct arena *a, struct datum *list, struct datum *item);

struct reader {
    struct arena *arena;
    const char *at, *end;
    const char *name; /* of the file, for messages; NULL: a fault is an answer of NULL */
    int line;
};

/* The next datum; NULL at the end of the text. */
struct datum *read_datum(struct reader *r);
bool is_word(const struct datum *d, const char *word);
bool is_keyword(const struct datum *d);
bool is_nil(const struct datum *d);

/* Is D a list that begins with WORD? */
bool is_form(const struct datum *d, const char *word);

/* The value of KEY in a property list from its item FROM on, or NULL. */
struct datum *plist_get(const struct datum *plist, size_t from, const char *key);
void print_datum(struct buf *out, const struct datum *d);

#endif
