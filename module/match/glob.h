/* glob.h -- the small glob language.
 *
 *   *    any characters within a segment       **   any characters, slashes too
 *   ?    one character (a code point), not /   **\/  also nothing
 *
 * All else is literal.  A glob is matched in time linear in the path: it runs
 * as a set of states in machine words, so that no pattern can be slow.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_GLOB_H
#define AQFS_GLOB_H

#include "error.h"

#include <stdbool.h>
#include <stddef.h>

struct glob;

/* NULL (and E) for a pattern that is empty, too long (4,096 bytes), has a NUL or is invalid UTF-8.
 */
struct glob *glob_compile(const char *pattern, size_t n, struct error *e);
void glob_free(struct glob *g);

bool glob_matches(const struct glob *g, const char *path, size_t n);

/* True when the pattern is `**\/` and then something without a slash or `**`: it can be decided
 * by the basename alone, with glob_matches_basename. */
bool glob_is_basename_only(const struct glob *g);
bool glob_matches_basename(const struct glob *g, const char *name, size_t n);

/* The most segments a matching path has, or 0 when `**` leaves it open. */
size_t glob_depth(const struct glob *g);

/* What in the pattern looks like syntax of larger languages, as a sentence for a reply's hint;
 * NULL when nothing does. */
const char *glob_mistaken_syntax(const char *pattern, size_t n);

/* Several globs, any of which may match a basename: exclusions. */
struct glob_set {
    struct glob **globs;
    size_t n;
};
int glob_set_compile(struct glob_set *set, const char *const *patterns, const size_t *lengths,
                     size_t n, struct error *e);
void glob_set_free(struct glob_set *set);
bool glob_set_matches(const struct glob_set *set, const char *name, size_t n);

#endif
