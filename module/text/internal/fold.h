/* fold.h -- folding text to a form in which easily confused characters are equal.
 *
 * White space of every kind, invisible characters and combining marks are left
 * out.  Letters become lower case and lose their accents.  Typographic quotes,
 * dashes and full-width characters become those of a keyboard.  Two texts that
 * are equal when folded look the same at a glance, or nearly so.
 *
 * Folding serves to find what a caller may have meant, never to decide that it
 * is meant.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FOLD_H
#define AQFS_FOLD_H

#include "args.h"

/* The kind of a character before it is folded. */
enum unit_kind {
    UNIT_INK,
    UNIT_BLANK, /* space, tab, newline and other ASCII controls */
    UNIT_SPACE, /* a space that is not ASCII */
    UNIT_INVISIBLE,
};

#define FOLD_MOST 4 /* the most bytes to which a character folds */

struct unit {
    size_t len;         /* bytes in the text */
    int32_t code_point; /* -1 for a byte that is not UTF-8, which folds to itself */
    enum unit_kind kind;
    size_t folded_len; /* 0 unless the kind is UNIT_INK */
    char folded[FOLD_MOST];
};

/* The character at the beginning of TEXT (N >= 1 bytes). */
struct unit fold_unit(const char *text, size_t n);

/* Folds only the letter case. */
int32_t fold_case(int32_t code_point);

/* A folded text, and the origin of its bytes. */
struct folded {
    struct text_ref text;
    char *data; /* never NULL once folded */
    size_t len;
    struct fold_mark *marks;
    size_t mark_count;
};

/* False when there is no memory.  Call folded_free in either case. */
bool fold_text(struct text_ref text, struct folded *out);
void folded_free(struct folded *f);

/* The offset in the text of the character that gave byte AT of the folded form. */
size_t folded_origin(const struct folded *f, size_t at);

/* Folds as much of TEXT as fits into the MOST bytes of OUT.  Returns the number of bytes written.
 */
size_t fold_into(struct text_ref text, char *out, size_t most);

#endif
