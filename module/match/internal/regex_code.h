/* regex_code.h -- a compiled pattern, which regex.c makes and regex_scan.c runs.
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
    pcre2_code *plain[TEXT_KINDS];   /* the fast form; the one for bytes is NULL with utf_only */
    pcre2_code *metered[TEXT_KINDS]; /* the form that counts every step; NULL with any_length */
    struct regex_literal needles[NEEDLES_MOST];
    unsigned needle_count;
    bool by_line, any_text, utf_only, newline; /* as in struct regex_plan */
    bool multiline;                            /* as in struct regex_options */

    /* The most bytes of whole lines on which the plain code runs at once; 0: never. */
    size_t chunk;
    bool any_length;     /* the plain code also runs on longer lines */
    uint32_t backtracks; /* PCRE2's match limit for the plain code, for each start position */
};

#endif
