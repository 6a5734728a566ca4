/* ignore_match.h -- matching one pattern of a .gitignore with one path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_IGNORE_MATCH_H
#define AQFS_IGNORE_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* How many bytes PATTERN begins with that match only themselves. */
size_t ignore_literal_head(const char *pattern, size_t n);

/* As git's wildmatch does: `*`, `?` and `[...]` match one byte and more, a backslash makes the next
 * character literal, and a set that is not closed matches nothing.  IN_PATH: they match no slash,
 * and `**` between slashes or at an end matches any directories.  Adds the steps to *WORK; a match
 * that takes more than a million counts as none. */
bool ignore_matches(const char *pattern, size_t n, const char *text, size_t text_n, bool in_path,
                    size_t *left);

#endif
