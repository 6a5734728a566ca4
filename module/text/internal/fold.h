/* fold.h -- text in a form in which what is easily mistaken for each other is equal.
 *
 * White space of every kind, invisible characters and combining marks are left
 * out; letters become lower case and lose their accents; typographic quotes,
 * dashes and full-width characters become those of a keyboard.  Two texts that
 * are equal when folded look the same at a glance, or nearly so.
 *
 * Used to find what a caller may have meant, never to decide that it is meant.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_FOLD_H
#define AQFS_FOLD_H

#include "args.h"

/* What a character is before it is folded. */
enum unit_kind {
    UNIT_INK,
    UNIT_BLANK, /* space, tab, newline and other ASCII controls */
    UNIT_SPACE, /* a space that is not ASCII */
    UNIT_INVISIBLE,
};

#define FOLD_MOST 4 /* bytes that a character is folded to */

struct unit {
    size_t len;         /* bytes in the text */
    int32_t code_point; /* -1 for a byte that is not UTF-8, which is folded to itself */
    enum unit_kind kind;
    size_t folded_len; /* 0 unless it is ink */
    char folded[FOLD_MOST];
};

/* The character at the beginning of TEXT, of N >= 1 bytes. */
struct unit fold_unit(const char *text, size_t n);

/* Only the letter case undone. */
int32_t fold_case(int32_t code_point);

/* A text, folded, and where it came from. */
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

/* Where in the text the character begins that byte AT of the folded form came from. */
size_t folded_origin(const struct folded *f, size_t at);

/* Folds TEXT into OUT, of room for MOST bytes, as far as it fits.  The bytes written. */
size_t fold_into(struct text_ref text, char *out, size_t most);

#endif
