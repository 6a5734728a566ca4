/* definition.h -- what a form defines: its kind, name and documentation.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_DEFINITION_H
#define AQFS_DEFINITION_H

#include "forms.h"
#include "lines.h"

/* Parts of the text; a part that is not there has no length. */
struct definition {
    struct span kind;         /* the first word of the list: `defun` */
    struct span name;         /* without quotes: `foo`, `(setf foo)` */
    struct span qualifiers;   /* of a method: `:around` */
    struct span specializers; /* of a method: its lambda list, `((a foo) b)` */
    struct span doc;          /* the first line of its documentation, without quotes */
};

/* What FORM of TEXT defines.  Of a form that is no list, only the name is set, to the form. */
struct definition definition_of(enum dialect dialect, const char *text, const struct form *form);

/* Is WORD, N bytes, the part of TEXT?  Common Lisp does not look at the case of letters. */
bool definition_is(enum dialect dialect, const char *text, struct span part, const char *word,
                   size_t n);

/* Does the definition have the name WORD, with or without a package before it? */
bool definition_is_named(enum dialect dialect, const char *text, const struct definition *d,
                         const char *word, size_t n);

/* Definitions inside of FORM: of `labels` and its like, nested `define`s, slots.  Calls EACH for
 * every one, the outer before the inner, which is one deeper; the outermost have DEPTH 1.  False if
 * EACH answered false. */
typedef bool each_nested(void *data, const struct form *form, const struct definition *d,
                         unsigned depth);
bool definition_nested(enum dialect dialect, const char *text, const struct form *form,
                       each_nested *each, void *data);

#endif
