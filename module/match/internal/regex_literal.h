/* regex_literal.h -- finding a literal in text.
 *
 * Two bytes of the literal, the rarest in source code, are compared with the
 * text at many places at once; only where both are there the rest is looked at.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REGEX_LITERAL_H
#define AQFS_REGEX_LITERAL_H

#include "regex_plan.h"

#include <stddef.h>

struct regex_literal {
    size_t len;
    char text[NEEDLE_BYTES]; /* in lower case when case is ignored */
    char fold[NEEDLE_BYTES]; /* 0x20 where that bit of the text does not matter */
    size_t first, second;    /* the places of the two bytes */
    bool wide;               /* the processor has wide vectors */
};

/* NEEDLE has at least two bytes; when case is ignored, that of ASCII letters. */
void regex_literal_init(struct regex_literal *literal, const struct needle *needle,
                        bool ignore_case);

/* Where it is first in TEXT; N when it is not. */
size_t regex_literal_find(const struct regex_literal *literal, const char *text, size_t n);

#endif
