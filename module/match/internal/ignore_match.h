/* ignore_match.h -- one pattern of a .gitignore against one path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_IGNORE_MATCH_H
#define AQFS_IGNORE_MATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Does the pattern match nothing but itself? */
bool ignore_is_literal(const char *pattern, size_t n);

/* `*`, `?` and `[...]` within a segment, `**` for any segments, a backslash before what is meant
 * literally.  A set that is never closed matches nothing. */
bool ignore_matches(const char *pattern, size_t n, const char *path, size_t path_n);

#endif
