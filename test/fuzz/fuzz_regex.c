/* SPDX-License-Identifier: MIT */
/* fuzz_regex.c -- a pattern never does harm, and what makes the search fast changes no answer. */
#include "clock.h"
#include "fuzz.h"
#include "regex.h"

#include <stdbool.h>
#include <string.h>

#define STEPS 200000

/* The lines that match, as offsets; false when the search was ended. */
static bool search(const struct regex *regex, const char *text, size_t n, size_t *lines,
                   size_t *count) {
    struct budget budget = {0};
    struct regex_match match;
    atomic_store(&budget.steps_left, STEPS);
    budget.deadline_ns = clock_now_ns() + INT64_C(1000000000);
    struct regex_scan *scan = regex_scan_new(regex, &budget);
    PROMISE(scan);
    *count = 0;
    regex_scan_start(scan, text, n, 0);
    while (regex_scan_next(scan, &match)) {
        PROMISE(match.line <= match.start && match.start <= match.end);
        PROMISE(match.end <= match.line_end && match.line_end <= n);
        PROMISE(!memchr(text + match.line, '\n', match.line_end - match.line));
        PROMISE(match.line == 0 || text[match.line - 1] == '\n');
        lines[(*count)++] = match.line;
    }
    bool whole = regex_scan_code(scan) == AQFS_OK && regex_scan_undecided(scan) == 0;
    regex_scan_free(scan);
    return whole;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static size_t fast_lines[512], simple_lines[512];
    struct error e;
    if (size < 2 || size > sizeof fast_lines / sizeof *fast_lines)
        return 0;
    size_t pattern_n = data[0] % 24, fast_n, simple_n;
    pattern_n = pattern_n < size - 2 ? pattern_n : size - 2;
    const char *pattern = (const char *)data + 2, *text = pattern + pattern_n;
    size_t n = size - 2 - pattern_n;
    struct regex_options options = {.ignore_case = data[1] & 1, .literal = (data[1] & 6) == 6};
    struct regex *fast = NULL, *simple = NULL;
    int code = regex_compile(pattern, pattern_n, &options, &fast, &e);
    options.simple = true;
    PROMISE(code == regex_compile(pattern, pattern_n, &options, &simple, &e));
    if (code)
        return 0;
    bool both = search(fast, text, n, fast_lines, &fast_n);
    both = search(simple, text, n, simple_lines, &simple_n) && both;
    if (both) {
        PROMISE(fast_n == simple_n);
        PROMISE(memcmp(fast_lines, simple_lines, fast_n * sizeof *fast_lines) == 0);
    }
    regex_free(fast);
    regex_free(simple);
    return 0;
}
