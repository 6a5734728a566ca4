/* lisp_text.h -- a Lisp file as its forms, and which of them a call means.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_LISP_TEXT_H
#define AQFS_LISP_TEXT_H

#include "call.h"
#include "definition.h"
#include "scan.h"

struct lisp_text {
    struct place place;
    struct text_scan scan;
    struct text_ref text; /* the scan's, or that of a file to be edited */
    enum dialect dialect;
    struct forms forms;
};

/* The dialect of TEXT by the argument `dialect`, or by the text and PATH.  AQFS_INVALID_ARGUMENT,
 * naming GIVEN, if nothing tells. */
int lisp_dialect(struct call *c, const struct place *place, struct text_ref given,
                 struct text_ref text, enum dialect *out);

/* Reads the forms of OUT's text; its place is set.  The errors of lisp_dialect, and AQFS_LIMIT. */
int lisp_forms(struct call *c, struct text_ref given, struct lisp_text *out);

/* Reads the open FILE, which is at OUT's place and which the caller called GIVEN, and its forms.
 * The scan may have been made brief, where no version is wanted.  AQFS_TOO_LARGE, and the errors of
 * scan_text and lisp_forms. */
int lisp_text_read(struct call *c, const struct node *file, struct text_ref given,
                   struct lisp_text *out);
void lisp_text_free(struct lisp_text *lisp);

/* The number of the line that holds the offset AT.  Counting goes on from the last offset that was
 * asked for, if that is before AT. */
struct line_counter {
    struct text_ref text;
    size_t at;
    int64_t lines;
};
int64_t line_at(struct line_counter *counter, size_t at);

/* The new part of AFTER, from the first to the last byte that differs from BEFORE. */
struct span changed_span(struct text_ref before, struct text_ref after);

/* Where the comment begins that stands directly above FORM, one of LISP's, or FORM's own line; a
 * form that does not begin its line has none. */
size_t comment_above(const struct lisp_text *lisp, const struct form *form);

/* Which form is meant.  A part that is not given has no data. */
struct form_wish {
    struct text_ref name, kind, package, qualifiers, specializers;
    int64_t line; /* or 0 */
};

/* The form that the arguments of C describe. */
struct form_wish form_wish_of(const struct call *c);

/* Finds the only form that WISH describes.  AQFS_INVALID_ARGUMENT if it describes nothing,
 * AQFS_NO_MATCH with names like it, AQFS_MULTIPLE_MATCHES with the lines of each. */
int choose_form(struct call *c, const struct lisp_text *lisp, const struct form_wish *wish,
                size_t *number);

/* Appends what FORM is called, for a message: `defmethod area ((s square))`. */
void form_label(const struct lisp_text *lisp, const struct form *form, struct buf *out);

#endif
