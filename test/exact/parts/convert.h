/* SPDX-License-Identifier: MIT */
/* convert.h -- the same text in the many ways that files have it, and which of them a file has. */
#ifndef EXACT_CONVERT_H
#define EXACT_CONVERT_H

#include "buf.h"

#include <stddef.h>
#include <stdint.h>

extern uint64_t state;

size_t below(size_t limit);

enum form {
    AS_IT_IS,
    WITH_CRLF,
    WITH_BOM,
    IN_LATIN_1,
    IN_UTF_16LE,
    IN_UTF_16BE,
    WITHOUT_LAST_NEWLINE,
    WITH_FORM_FEEDS,
    WITH_MIXED_ENDINGS,
    WITH_TABS,
    FORMS
};

void convert(const struct buf *in, enum form form, struct buf *out);

enum trait {
    HAS_CRLF,
    HAS_MIXED,
    HAS_BOM,
    IS_LATIN_1,
    IS_UTF_16LE,
    IS_UTF_16BE,
    NO_LAST_NEWLINE,
    HAS_FORM_FEED,
    HAS_TAB,
    HAS_WIDE, /* UTF-8 that is not all ASCII */
    TRAITS
};

extern const char *const trait_names[TRAITS];

unsigned traits_of(const struct buf *b);

#endif
