/* glob.h -- a small glob language.
 *
 *   *    any characters within a segment       **   any characters, slashes too
 *   ?    one character (a code point), not /   **\/  also nothing
 *
 * Everything else is literal.  Matching takes time linear in the path: a glob
 * runs as a set of states in machine words, so no pattern is slow.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GLOB_H
#define AQFS_GLOB_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>

struct glob;

/* NULL, and E is set, for a pattern that is empty, longer than 4,096 bytes, contains a NUL or is
 * not valid UTF-8. */
struct glob *glob_compile(const char *pattern, size_t n, struct error *e);
void glob_free(struct glob *g);

bool glob_matches(const struct glob *g, const char *path, size_t n);

/* Does it match every path, as `**` does? */
bool glob_matches_all(const struct glob *g);

/* Is the pattern `**\/` followed by text without a slash or `**`?  Then the basename alone decides,
 * with glob_matches_basename. */
bool glob_is_basename_only(const struct glob *g);
bool glob_matches_basename(const struct glob *g, const char *name, size_t n);

/* The most segments that a matching path can have, or 0 when `**` sets no limit. */
size_t glob_depth(const struct glob *g);

/* A sentence for a reply's hint when PATTERN uses syntax of larger glob languages, which means
 * nothing here; otherwise NULL. */
const char *glob_mistaken_syntax(const char *pattern, size_t n);

/* Exclusions: several globs, of which any may match a basename. */
struct glob_set {
    struct glob **globs;
    size_t n;
};
int glob_set_compile(struct glob_set *set, const char *const *patterns, const size_t *lengths,
                     size_t n, struct error *e);
void glob_set_free(struct glob_set *set);
bool glob_set_matches(const struct glob_set *set, const char *name, size_t n);

#endif
