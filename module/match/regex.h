/* regex.h -- regular expressions over lines of text, harmless whatever they are.
 *
 * The meaning is PCRE2's, applied to each line alone: no match spans lines.
 * Text is UTF-8, and \w, \d, \s, \b and ignoring case know all of Unicode.  A
 * byte that is no UTF-8 counts as one character, which only `.`, negated
 * classes and the like match.
 *
 * A scan answers as that says, and is free to find it out faster:
 *
 *   - a pattern is rewritten so that no item of it can cross a newline, and
 *     then many lines are searched at once (regex_plan.h);
 *   - lines that lack a literal which every match contains are not looked at;
 *   - ASCII is matched as bytes, and so is other text when that is the same.
 *
 * Backtracking is bounded.  How much work one call of PCRE2 could be is known
 * from the pattern and the length of the lines: where it could be much, PCRE2
 * stops early, and the lines are searched again one by one in a form of the
 * pattern that counts each step, takes steps beyond a multiple of the line's
 * length off the budget, and ends when that, the deadline or the caller says so.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REGEX_H
#define AQFS_REGEX_H

#include "budget.h"
#include "error.h"

#include <stddef.h>

#define REGEX_BYTES_MOST 10000

struct regex; /* shared by threads */

struct regex_options {
    bool literal; /* plain text */
    bool ignore_case;
    bool simple;      /* for tests: the meaning above, without what makes it fast */
    bool interpreted; /* for tests: without PCRE2's compiler to machine code */
};

/* AQFS_INVALID_ARGUMENT tells what is wrong with the pattern, and where. */
int regex_compile(const char *pattern, size_t n, const struct regex_options *options,
                  struct regex **out, struct error *e);
void regex_free(struct regex *regex);

/* Does the pattern ask for a newline, which no line contains? */
bool regex_wants_newline(const struct regex *regex);

/* A line that matches, and where: offsets in the text.  Neither end includes the newline. */
struct regex_match {
    size_t line, line_end;
    size_t start, end; /* the first match in it */
};

struct regex_scan; /* for one thread */

/* NULL when there is no memory.  The scan spends from BUDGET. */
struct regex_scan *regex_scan_new(const struct regex *regex, struct budget *budget);
void regex_scan_free(struct regex_scan *scan);

/* Where TEXT is a part of one line only. */
enum regex_edge { REGEX_BEGINS_INSIDE = 1, REGEX_ENDS_INSIDE = 2 };

/* Begins with the lines of TEXT, which must stay as it is.  A last line without newline counts. */
void regex_scan_start(struct regex_scan *scan, const char *text, size_t n, unsigned edges);

/* The next line that matches; false behind the last, and when regex_scan_code is not AQFS_OK. */
bool regex_scan_next(struct regex_scan *scan, struct regex_match *out);

/* AQFS_OK, or what ended the scan: AQFS_LIMIT, AQFS_CANCELLED, or no memory, AQFS_IO. */
int regex_scan_code(const struct regex_scan *scan);

/* How many lines, since the scan was made, were too complex to be decided. */
int64_t regex_scan_undecided(const struct regex_scan *scan);

#endif
