/* regex_literal.h -- finding a literal in text.
 *
 * The two bytes of the literal that are rarest in source code are compared with
 * the text at many places at once.  Only where both occur is the rest compared.
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

/* NEEDLE has at least two bytes.  IGNORE_CASE ignores the case of ASCII letters. */
void regex_literal_init(struct regex_literal *literal, const struct needle *needle,
                        bool ignore_case);

/* The first offset of the literal in TEXT, or N when it does not occur. */
size_t regex_literal_find(const struct regex_literal *literal, const char *text, size_t n);

#endif
