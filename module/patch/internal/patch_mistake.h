/* patch_mistake.h -- what models write into patches that no file has, and what to do about it.
 *
 * Nothing here changes what a patch means: a patch that is refused gets a hint
 * that says what to send instead.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_PATCH_MISTAKE_H
#define AQFS_PATCH_MISTAKE_H

#include "patch_find.h"
#include "patch_read.h"

/* Does a line of three dots, maybe in a comment and with words behind them, stand for lines that
 * were left out?  Some languages have such a line as code. */
bool patch_stands_for_lines(const char *line, size_t n);

/* Does the line also say so, as in `# ... existing code ...`? */
bool patch_says_left_out(const char *line, size_t n);

/* Gives the error of a patch that cannot be read a hint, unless it has one.  R stands where reading
 * ended, and TEXT is the whole patch. */
void patch_hint_reading(struct patch_reader *r, const char *text, size_t n);

/* Gives the error of a hunk that does not fit a hint, unless it has one, if its old lines have what
 * no file has. */
void patch_hint_hunk(const struct patch_hunk *hunk, struct error *e);

#endif
