/* ignore.h -- the rules of a .gitignore, as git reads them.
 *
 * The rules of a file apply to names below its directory.  The last rule that
 * matches decides; of several files, the deepest one with a matching rule.  No
 * pattern is slow: matching takes time in proportion to the pattern and the
 * path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_IGNORE_H
#define AQFS_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

/* A longer file is not read at all; of more rules only the first are read. */
#define IGNORE_BYTES_MAX ((size_t)1 << 20)
#define IGNORE_RULES_MAX 20000

struct ignore;

enum ignored { IGNORE_UNSAID, IGNORE_IT, IGNORE_KEEP };

/* NULL without memory. */
struct ignore *ignore_read(const char *text, size_t n);
void ignore_free(struct ignore *rules); /* NULL is allowed */

/* How many rules there are: what one question costs.  NULL is allowed. */
size_t ignore_count(const struct ignore *rules);

/* What the rules say about PATH, which is relative to their directory. */
enum ignored ignore_says(const struct ignore *rules, const char *path, size_t n, bool is_directory);

#endif
