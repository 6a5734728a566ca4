/* ignore_match.h -- matching one pattern of a .gitignore with one path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_IGNORE_MATCH_H
#define AQFS_IGNORE_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Does the pattern match only itself? */
bool ignore_is_literal(const char *pattern, size_t n);

/* `*`, `?` and `[...]` match within a segment, `**` matches any segments, and a backslash makes the
 * next character literal.  A set that is not closed matches nothing. */
bool ignore_matches(const char *pattern, size_t n, const char *path, size_t path_n);

#endif
