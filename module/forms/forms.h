/* forms.h -- where the forms of a Lisp text begin and end.
 *
 * The text is read, and nothing of it is evaluated or interned.  All functions
 * take time in proportion to the text.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FORMS_H
#define AQFS_FORMS_H

#include "dialect.h"

#include <stdbool.h>

/* A form: [start, end), with its quotes and reader conditionals, without the comments before it. */
struct form {
    size_t start, end;
    size_t open; /* behind the opening parenthesis if it is a list, else `end` */
};

enum fault_kind {
    FAULT_BALANCED,
    FAULT_UNCLOSED,   /* the text ends inside a list, which begins at `open` */
    FAULT_EXTRA,      /* at `at`, a parenthesis closes what nothing has opened */
    FAULT_MISMATCH,   /* at `at`, a bracket closes another kind, which begins at `open` */
    FAULT_UNFINISHED, /* the text ends behind a quote or the like, which begins at `open` */
    FAULT_BROKEN      /* a string or comment begins at `open` and never ends: `what` */
};

struct forms_fault {
    enum fault_kind kind;
    size_t at, open;
    const char *what;
};

/* The top-level forms of a text, in order.  Those of a text with a fault go up to the fault; the
 * last one is then the form that the fault is in, as far as can be told. */
struct forms {
    struct form *all;
    size_t n, room;
    struct forms_fault fault;
    /* Why forms may begin and end at other places than here: a reader macro, say.  NULL if they
     * do not. */
    const char *unsure;
    size_t unsure_at;
};

/* Reads TEXT.  False without memory. */
bool forms_read(enum dialect dialect, const char *text, size_t len, struct forms *out);
void forms_free(struct forms *forms);

/* Reads the forms inside of a list one by one.  Begin with form_inside; form_next answers false
 * behind the last one. */
struct form_cursor {
    enum dialect dialect;
    const char *text;
    size_t at, end;
};
struct form_cursor form_inside(enum dialect dialect, const char *text, const struct form *list);
bool form_next(struct form_cursor *cursor, struct form *out);

#endif
