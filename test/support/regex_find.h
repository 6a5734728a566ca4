/* regex_find.h -- the matches of a regular expression, as text: for tests.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef REGEX_FIND_H
#define REGEX_FIND_H

#include "buf.h"
#include "regex.h"

#include "unity.h"

#include <stdlib.h>
#include <string.h>

#define STEPS 50000000

static struct error error __attribute__((unused));

static inline struct regex *compile(const char *pattern, struct regex_options options) {
    struct regex *regex = NULL;
    int code = regex_compile(pattern, strlen(pattern), &options, &regex, &error);
    TEST_ASSERT_EQUAL_INT_MESSAGE(AQFS_OK, code, pattern);
    return regex;
}

/* "LINE:START-END ..." for each line of TEXT that matches, offsets within the line. */
static inline int find(const struct regex *regex, const char *given, size_t n, int64_t steps,
                       struct buf *out) {
    struct budget budget = {.steps_left = steps};
    struct regex_scan *scan = regex_scan_new(regex, &budget);
    struct regex_match m;
    int line = 1;
    size_t at = 0;
    char *text = calloc(1, n + 64); /* PCRE2 loads whole vectors, also beyond the text */
    memcpy(text, given, n);
    regex_scan_start(scan, text, n, 0);
    while (regex_scan_next(scan, &m)) {
        for (; at < m.line; at++)
            line += text[at] == '\n';
        buf_printf(out, "%s%d:%zu-%zu", out->len ? " " : "", line, m.start - m.line,
                   m.end - m.line);
        TEST_ASSERT_TRUE(m.line <= m.start && m.start <= m.end && m.end <= m.line_end);
        TEST_ASSERT_TRUE(m.line == 0 || text[m.line - 1] == '\n');
        TEST_ASSERT_TRUE(m.line_end == n || text[m.line_end] == '\n');
    }
    int code = regex_scan_code(scan);
    if (regex_scan_undecided(scan) > 0)
        code = AQFS_LIMIT;
    regex_scan_free(scan);
    free(text);
    return code;
}

#endif
