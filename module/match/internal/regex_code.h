/* regex_code.h -- a compiled pattern, as regex.c makes it and regex_scan.c runs it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REGEX_CODE_H
#define AQFS_REGEX_CODE_H

#include "regex_literal.h"
#include "regex_plan.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

enum { TEXT_BYTES, TEXT_UTF, TEXT_KINDS };

struct regex {
    pcre2_code *plain[TEXT_KINDS];   /* as fast as can be; of bytes only without utf_only */
    pcre2_code *metered[TEXT_KINDS]; /* calls out at every step; without any_length */
    struct regex_literal needles[NEEDLES_MOST];
    unsigned needle_count;
    bool by_line, any_text, utf_only, newline; /* as in struct regex_plan */

    /* The plain code is run on at most so many bytes of whole lines; 0: never. */
    size_t chunk;
    bool any_length;     /* and on longer lines too */
    uint32_t backtracks; /* PCRE2's match limit for it, which holds from each start position */
};

#endif
