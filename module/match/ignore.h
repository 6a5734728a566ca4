/* ignore.h -- what a .gitignore says, as git reads it.
 *
 * The rules of one file are about names below the directory it is in.  The last
 * rule that matches decides, and of several files the deepest that says
 * anything.  No pattern is slow: matching takes time in proportion to the
 * pattern and to the path.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_IGNORE_H
#define AQFS_IGNORE_H

#include <stdbool.h>
#include <stddef.h>

/* Of a longer file nothing is read, and of more rules the first ones. */
#define IGNORE_BYTES_MAX ((size_t)1 << 20)
#define IGNORE_RULES_MAX 20000

struct ignore;

enum ignored { IGNORE_UNSAID, IGNORE_IT, IGNORE_KEEP };

/* NULL without memory. */
struct ignore *ignore_read(const char *text, size_t n);
void ignore_free(struct ignore *rules); /* NULL is allowed */

/* What the rules say of PATH, which is relative to their directory. */
enum ignored ignore_says(const struct ignore *rules, const char *path, size_t n, bool is_directory);

#endif
