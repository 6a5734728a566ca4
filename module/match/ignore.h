/* ignore.h -- the rules of a .gitignore, as git reads them.
 *
 * The rules of a file apply to names below its directory.  The last rule that
 * matches decides; of several files, the deepest one with a matching rule.
 *
 * A rule without special characters, and one such as `*.o`, is found by hashing, so
 * there may be as many as the file has room for.  The others are tried one by one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_IGNORE_H
#define AQFS_IGNORE_H

#include "buf.h"

#include <stdbool.h>
#include <stddef.h>

/* A longer file is not read at all; of rules that must be tried one by one only the first are
 * read, and none that is longer. */
#define IGNORE_BYTES_MAX ((size_t)16 << 20)
#define IGNORE_TRIED_MAX 20000
#define IGNORE_PATTERN_MAX 4096

struct ignore;

enum ignored { IGNORE_UNSAID, IGNORE_IT, IGNORE_KEEP };

/* Ends the file of rules that was appended to OUT behind its first FROM bytes: takes away a byte
 * order mark, and adds a newline.  So several files can be read as one. */
void ignore_end_file(struct buf *out, size_t from);

/* NULL without memory. */
struct ignore *ignore_read(const char *text, size_t n);
void ignore_free(struct ignore *rules); /* NULL is allowed */
bool ignore_is_empty(const struct ignore *rules);

/* The verdict of the rules on PATH, which is relative to their directory.  Takes off *LEFT what the
 * question costs, about one for each rule that is tried and each byte that it is compared with;
 * when nothing is left, no more rules are tried, and the answer is not certain.  RULES may be NULL.
 */
enum ignored ignore_says(const struct ignore *rules, const char *path, size_t n, bool is_directory,
                         size_t *left);

#endif
