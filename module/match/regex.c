/* regex.c -- compiling a pattern: see regex.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "regex.h"

#include "cleanup.h"
#include "regex_code.h"
#include "regex_library.h"
#include "utf8.h"

#include <string.h>

/* The most work that the plain code may do between two checks of the budget: characters compared,
 * at about 1 ns each. */
#define WORK_MOST (64u << 20)
#define CHUNK_MOST 16384u
#define CHUNK_LEAST 256u
#define BACKTRACKS 64u

/* With no more choices than this at each position, even a line of many megabytes is searched
 * quickly. */
#define WAYS_FEW 64u

/* (*UTF), (*LIMIT_MATCH=...), (*NO_JIT) and the like would override the settings made here. */
static bool begins_with_setting(const char *pattern, size_t n) {
    return n > 2 && pattern[0] == '(' && pattern[1] == '*' && pattern[2] >= 'A' &&
           pattern[2] <= 'Z';
}

static bool contains(const char *pattern, size_t n, const char *part) {
    return memmem(pattern, n, part, strlen(part)) != NULL;
}

/* PCRE2 10.45 reads beyond a text that these two match together. */
static bool reads_beyond(const char *pattern, size_t n) {
    return contains(pattern, n, "(*ACCEPT") &&
           (contains(pattern, n, "(*scs:") || contains(pattern, n, "(*scan_substring:"));
}

static int check_regex_pattern(const char *pattern, size_t n, bool literal, struct error *e) {
    if (n > REGEX_BYTES_MOST)
        return fail(e, AQFS_INVALID_ARGUMENT, "pattern: has %zu bytes, at most %d are allowed", n,
                    REGEX_BYTES_MOST);
    if (n > 0 && memchr(pattern, '\0', n))
        return fail(e, AQFS_INVALID_ARGUMENT, "pattern: contains a NUL character");
    if (!utf8_is_valid(pattern, n))
        return fail(e, AQFS_INVALID_ARGUMENT, "pattern: is not valid UTF-8");
    if (!literal && begins_with_setting(pattern, n))
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "pattern: settings such as (*UTF) are not allowed at its beginning");
    if (!literal && reads_beyond(pattern, n))
        return fail(e, AQFS_INVALID_ARGUMENT,
                    "pattern: (*ACCEPT) and (*scs:...) are not allowed together");
    return AQFS_OK;
}

/* Compiles the plain code with OPTIONS. */
static bool compile_both(struct regex_compiler *c, struct regex *regex, const struct buf *form,
                         int kind, uint32_t options) {
    if (regex->chunk > 0)
        regex->plain[kind] = regex_compiler_compile(c, form->data, form->len, kind, options);
    if (!regex->any_length)
        regex->metered[kind] =
            regex_compiler_compile(c, form->data, form->len, kind, PCRE2_AUTO_CALLOUT);
    return (regex->plain[kind] || regex->chunk == 0) && (regex->metered[kind] || regex->any_length);
}

static void take_needles(struct regex *regex, const struct regex_plan *plan) {
    for (unsigned i = 0; i < plan->needles.n; i++)
        regex_literal_init(&regex->needles[i], &plan->needles.of[i], plan->ignore_case);
    regex->needle_count = plan->needles.n;
}

/* The most work of one call on CHUNK bytes.  From each start position there are `ways`.  One repeat
 * makes each as long as the chunk; with several repeats, PCRE2 stops after BACKTRACKS of these. */
static uint64_t estimate_work(const struct regex_plan *plan, uint64_t chunk) {
    uint64_t each = plan->repeats == 0 ? 1 : plan->repeats == 1 ? chunk : chunk * BACKTRACKS;
    return chunk * plan->ways * each;
}

static void bound_work(struct regex *regex, const struct regex_plan *plan) {
    size_t chunk = CHUNK_MOST;
    while (chunk >= CHUNK_LEAST && estimate_work(plan, chunk) > WORK_MOST)
        chunk /= 2;
    regex->chunk = chunk >= CHUNK_LEAST && plan->understood ? chunk : 0;
    regex->any_length = plan->repeats == 0 && plan->ways <= WAYS_FEW && plan->understood;
    regex->backtracks = plan->repeats > 1 ? BACKTRACKS : UINT32_MAX;
}

static bool compile_plan(struct regex_compiler *c, struct regex *regex,
                         const struct regex_plan *plan) {
    regex->by_line = plan->by_line;
    regex->any_text = plan->any_text;
    regex->utf_only = plan->utf_only;
    regex->newline = plan->newline;
    take_needles(regex, plan);
    bound_work(regex, plan);
    bool ok = true;
    uint32_t options =
        regex->chunk > 0 ? regex_compiler_care(c, plan->repeats > 0, plan->counted) : 0;
    if (!plan->utf_only)
        ok = compile_both(c, regex, &plan->bytes, TEXT_BYTES, options);
    if (ok && !regex->any_text)
        ok = compile_both(c, regex, &plan->utf, TEXT_UTF, options);
    return ok;
}

static void free_codes(struct regex *regex) {
    for (int kind = 0; kind < TEXT_KINDS; kind++) {
        pcre2_code_free(regex->plain[kind]);
        pcre2_code_free(regex->metered[kind]);
    }
    *regex = (struct regex){0};
}

/* Reads and compiles the pattern.  If PCRE2 rejects the rewritten pattern or sees other facts in
 * it, compiles the original. */
static int compile_regex(struct regex_compiler *c, struct regex *regex, const char *pattern,
                         size_t n, const struct regex_options *options, struct error *e) {
    AUTO(regex_plan_free) struct regex_plan plan = {0};
    bool ok = regex_plan_read(&plan, pattern, n, options->ignore_case, options->literal);
    if (c->varies)
        plan.ways *= VARYING_MOST;
    const struct needles needles = plan.needles;
    if (ok && !options->simple && !options->multiline &&
        (options->literal || regex_compiler_agrees(c, &plan.utf))) {
        ok = compile_plan(c, regex, &plan);
        if (ok || c->error <= 0)
            return ok ? AQFS_OK : fail_memory(e);
        free_codes(regex);
    }
    if (options->literal) {
        AUTO(buf_free) struct buf quoted = plan.utf;
        plan.utf = (struct buf){0};
        regex_plan_distrust(&plan, quoted.data, quoted.len);
    } else {
        regex_plan_distrust(&plan, pattern, n);
    }
    /* A match holds one of the literals, however many lines it spans. */
    plan.needles = options->multiline && !options->simple ? needles : plan.needles;
    regex->multiline = options->multiline;
    if (ok && compile_plan(c, regex, &plan))
        return AQFS_OK;
    return c->error > 0 ? fail_pattern(pattern, n, c->error, n, e) : fail_memory(e);
}

int regex_compile(const char *pattern, size_t n, const struct regex_options *options,
                  struct regex **out, struct error *e) {
    int code = check_regex_pattern(pattern, n, options->literal, e);
    if (code)
        return code;
    AUTO(regex_compiler_free) struct regex_compiler c;
    struct regex *regex = calloc(1, sizeof *regex);
    if (regex_compiler_init(&c, options) && regex) {
        code = options->literal ? AQFS_OK : regex_compiler_judge(&c, pattern, n, e);
        if (!code)
            code = compile_regex(&c, regex, pattern, n, options, e);
    } else {
        code = fail_memory(e);
    }
    if (code)
        regex_free(regex);
    else
        *out = regex;
    return code;
}

void regex_free(struct regex *regex) {
    if (regex)
        free_codes(regex);
    free(regex);
}

bool regex_wants_newline(const struct regex *regex) {
    return regex->newline;
}
