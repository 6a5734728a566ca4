/* regex_library.h -- compiling with the PCRE2 that is loaded, whichever version it is.
 *
 * Versions of PCRE2 differ in what `{,3}` means, in whether a lookbehind may vary in length, in
 * their tables of Unicode and in the errors of their machine code.  The library is asked whatever
 * it can answer, for each pattern.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef AQFS_REGEX_LIBRARY_H
#define AQFS_REGEX_LIBRARY_H

#include "regex.h"
#include "regex_code.h"

/* The most characters that a lookbehind may vary in. */
#define VARYING_MOST 255u

enum { PATTERN_FACTS = 5 };

struct pattern_facts {
    uint32_t of[PATTERN_FACTS];
};

struct regex_compiler {
    pcre2_compile_context *context;
    uint32_t options;
    bool machine_code[TEXT_KINDS]; /* may be used */
    bool varies;                   /* a lookbehind of the judged pattern varies in length */
    struct pattern_facts facts;    /* of the judged pattern */
    int error;                     /* PCRE2's; 0 when it compiled or lacked memory */
    size_t error_at;
};

/* False when there is no memory.  Call regex_compiler_free in either case. */
bool regex_compiler_init(struct regex_compiler *c, const struct regex_options *options);
void regex_compiler_free(struct regex_compiler *c);

/* Compiles a pattern for text of KIND, with more OPTIONS of PCRE2.  NULL when that failed. */
pcre2_code *regex_compiler_compile(struct regex_compiler *c, const char *pattern, size_t n,
                                   int kind, uint32_t options);

/* Compiles a pattern as it was given, because only the library knows whether it is correct.
 * AQFS_INVALID_ARGUMENT with what is wrong. */
int regex_compiler_judge(struct regex_compiler *c, const char *pattern, size_t n, struct error *e);

/* Does the library see the facts of the judged pattern in WRITTEN, too?  If it does not, it reads
 * the pattern otherwise than regex_plan_read. */
bool regex_compiler_agrees(struct regex_compiler *c, const struct buf *written);

/* The options with which machine code finds all matches of a pattern that has unbounded REPEATS, or
 * COUNTS such as {3}. */
uint32_t regex_compiler_care(struct regex_compiler *c, bool repeats, bool counts);

/* AQFS_INVALID_ARGUMENT with PCRE2's error NUMBER, found at OFFSET. */
int fail_pattern(const char *pattern, size_t n, int number, size_t offset, struct error *e);

#endif
