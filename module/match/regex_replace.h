/* regex_replace.h -- replacing all matches in a line.
 *
 * The meaning of a pattern is that of regex.h: the line alone, which has no
 * newline.  In the replacement, $1 or ${1} is what the first group matched, $0
 * the whole match, ${name} a named group and $$ a dollar.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REGEX_REPLACE_H
#define AQFS_REGEX_REPLACE_H

#include "buf.h"
#include "error.h"

struct regex_replacement; /* shared by threads */

/* PATTERN is one that regex_compile accepts.  AQFS_INVALID_ARGUMENT when the replacement WITH names
 * a group that PATTERN does not have, or writes groups in another way. */
int regex_replacement_compile(const char *pattern, size_t n, const char *with, size_t with_n,
                              struct regex_replacement **out, struct error *e);
void regex_replacement_free(struct regex_replacement *r);

/* Appends LINE to OUT with all matches replaced, and adds their number to *COUNT.  An empty match
 * counts.  AQFS_LIMIT when the line is too complex to decide, or without memory. */
int regex_replacement_apply(const struct regex_replacement *r, const char *line, size_t n,
                            struct buf *out, size_t *count, struct error *e);

#endif
