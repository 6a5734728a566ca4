/* regex.h -- regular expressions over lines of text; no pattern can do harm.
 *
 * The meaning is PCRE2's, applied to each line alone: no match spans lines, unless
 * the pattern is compiled for that.
 * Text is UTF-8; \w, \d, \s, \b and ignoring case know all of Unicode.  A byte
 * that is not UTF-8 counts as one character, which only `.`, negated classes
 * and the like match.
 *
 * A scan gives exactly these results, but may find them in a faster way:
 *
 *   - a pattern is rewritten so that none of its items can cross a newline; then
 *     many lines are searched at once (regex_plan.h);
 *   - lines without a literal that every match contains are not searched;
 *   - ASCII is matched as bytes, and so is other text when the result is equal.
 *
 * Backtracking is bounded.  The pattern and the length of the lines tell how
 * much work one call of PCRE2 can be.  Where it can be much, PCRE2 stops early,
 * and the lines are searched again, one by one, in a form of the pattern that
 * counts each step.  Steps beyond a multiple of the line's length are taken off
 * the budget.  The search ends with the budget, at the deadline, or when the
 * caller cancels it.
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
    bool multiline;   /* matches may span lines: the text that is scanned is one subject */
    bool simple;      /* for tests: the results above, without the faster ways */
    bool interpreted; /* for tests: without PCRE2's JIT compiler */
};

/* AQFS_INVALID_ARGUMENT with what is wrong with the pattern, and where. */
int regex_compile(const char *pattern, size_t n, const struct regex_options *options,
                  struct regex **out, struct error *e);
void regex_free(struct regex *regex);

/* Does the pattern ask for a newline, which no line contains? */
bool regex_wants_newline(const struct regex *regex);

/* A matching line and its first match, as offsets in the text.  Neither end includes the newline.
 * With `multiline`, `line` begins the first line of the match, and `line_end` ends its last. */
struct regex_match {
    size_t line, line_end;
    size_t start, end; /* the first match in it */
};

struct regex_scan; /* for one thread */

/* NULL when there is no memory.  The scan spends from BUDGET. */
struct regex_scan *regex_scan_new(const struct regex *regex, struct budget *budget);
void regex_scan_free(struct regex_scan *scan);

/* For a TEXT that is part of one line only. */
enum regex_edge { REGEX_BEGINS_INSIDE = 1, REGEX_ENDS_INSIDE = 2 };

/* Starts to scan the lines of TEXT, which must not change during the scan.  A last line without
 * newline counts. */
void regex_scan_start(struct regex_scan *scan, const char *text, size_t n, unsigned edges);

/* The next line that matches; false after the last one, and when regex_scan_code is not AQFS_OK. */
bool regex_scan_next(struct regex_scan *scan, struct regex_match *out);

/* AQFS_OK, or the reason why the scan ended: AQFS_LIMIT, AQFS_CANCELLED, or AQFS_IO for lack of
 * memory. */
int regex_scan_code(const struct regex_scan *scan);

/* The number of lines, since the scan was made, that were too complex to decide. */
int64_t regex_scan_undecided(const struct regex_scan *scan);

#endif
