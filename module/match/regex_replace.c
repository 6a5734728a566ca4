/* regex_replace.c -- replacing all matches in a line: see regex_replace.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "regex_replace.h"

#include "cleanup.h"
#include "regex_library.h"

#include <string.h>

/* How much PCRE2 may try in one line. */
#define TRIES_MOST 5000000u

/* A part of the replacement: some text, or a group. */
struct replacement_part {
    const char *text; /* in the replacement; NULL for a group */
    size_t n;
    uint32_t group;
};

struct regex_replacement {
    pcre2_code *code;
    char *with;
    struct replacement_part *parts;
    size_t part_count;
};

void regex_replacement_free(struct regex_replacement *r) {
    if (!r)
        return;
    pcre2_code_free(r->code);
    free(r->with);
    free(r->parts);
    free(r);
}

/* -- reading the replacement ------------------------------------------------------------------- */

static bool is_group_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_group_name(char c) {
    return is_group_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int refuse_replacement(struct error *e, const char *why, const char *at, size_t n) {
    (void)fail(e, AQFS_INVALID_ARGUMENT, "replacement: %s: %.*s", why, (int)(n < 40 ? n : 40), at);
    error_hint(e,
               "$1 is the first group, ${name} a named one, $0 the whole match, and $$ a dollar");
    return AQFS_INVALID_ARGUMENT;
}

/* The number of the group NAME, of digits or letters; -1 if there is none. */
static int group_number(const struct regex_replacement *r, const char *name, size_t n) {
    char copy[40];
    uint32_t groups = 0, number = 0;
    if (n == 0 || n >= sizeof copy)
        return -1;
    memcpy(copy, name, n);
    copy[n] = '\0';
    (void)pcre2_pattern_info(r->code, PCRE2_INFO_CAPTURECOUNT, &groups);
    if (!is_group_digit(copy[0]))
        return pcre2_substring_number_from_name(r->code, (PCRE2_SPTR)copy);
    for (size_t i = 0; i < n; i++) {
        if (!is_group_digit(copy[i]) || number > groups)
            return -1;
        number = 10 * number + (uint32_t)(copy[i] - '0');
    }
    return number <= groups ? (int)number : -1;
}

static void add_replacement_part(struct regex_replacement *r, const char *text, size_t n,
                                 uint32_t group) {
    if (!text || n > 0)
        r->parts[r->part_count++] = (struct replacement_part){text, n, group};
}

/* Reads what begins with a dollar at AT.  *NEXT is behind it. */
static int read_dollar(struct regex_replacement *r, const char *at, const char *end,
                       const char **next, struct error *e) {
    const size_t left = (size_t)(end - at);
    const char *name = at + 1, *stop;
    if (left > 1 && *name == '$') {
        add_replacement_part(r, name, 1, 0);
        *next = name + 1;
        return AQFS_OK;
    }
    bool braced = left > 1 && *name == '{';
    name += braced;
    stop = name;
    while (stop < end && (braced ? is_group_name(*stop) : is_group_digit(*stop)) &&
           stop - name < 39)
        stop++;
    if (stop == name || (braced && (stop == end || *stop != '}')))
        return refuse_replacement(e, "a $ that names no group", at, left);
    int group = group_number(r, name, (size_t)(stop - name));
    if (group < 0)
        return refuse_replacement(e, "the pattern has no such group", at,
                                  (size_t)(stop - at) + braced);
    add_replacement_part(r, NULL, 0, (uint32_t)group);
    *next = stop + braced;
    return AQFS_OK;
}

static int read_replacement(struct regex_replacement *r, size_t n, struct error *e) {
    const char *at = r->with, *end = at + n, *text = at;
    while (at < end) {
        if (*at == '\\' && at + 1 < end && is_group_digit(at[1]))
            return refuse_replacement(e, "groups are written $1, not \\1", at, 2);
        if (*at != '$') {
            at++;
            continue;
        }
        add_replacement_part(r, text, (size_t)(at - text), 0);
        int code = read_dollar(r, at, end, &at, e);
        if (code)
            return code;
        text = at;
    }
    add_replacement_part(r, text, (size_t)(end - text), 0);
    return AQFS_OK;
}

/* -- compiling --------------------------------------------------------------------------------- */

/* The code is interpreted, because only lines are matched that were found to match. */
static int compile_for_lines(struct regex_replacement *r, const char *pattern, size_t n,
                             struct error *e) {
    const struct regex_options options = {.interpreted = true};
    AUTO(regex_compiler_free) struct regex_compiler c;
    if (!regex_compiler_init(&c, &options))
        return fail_memory(e);
    int code = regex_compiler_judge(&c, pattern, n, e);
    if (code)
        return code;
    r->code = regex_compiler_compile(&c, pattern, n, TEXT_UTF, PCRE2_NO_START_OPTIMIZE);
    return r->code       ? AQFS_OK
           : c.error > 0 ? fail_pattern(pattern, n, c.error, n, e)
                         : fail_memory(e);
}

int regex_replacement_compile(const char *pattern, size_t n, const char *with, size_t with_n,
                              struct regex_replacement **out, struct error *e) {
    struct regex_replacement *r = calloc(1, sizeof *r);
    if (r) {
        r->with = malloc(with_n + 1);
        r->parts = calloc(2 * with_n + 2, sizeof *r->parts);
    }
    if (!r || !r->with || !r->parts) {
        regex_replacement_free(r);
        return fail_memory(e);
    }
    memcpy(r->with, with, with_n);
    r->with[with_n] = '\0';
    int code = compile_for_lines(r, pattern, n, e);
    code = code ? code : read_replacement(r, with_n, e);
    if (code)
        regex_replacement_free(r);
    else
        *out = r;
    return code;
}

/* -- applying ---------------------------------------------------------------------------------- */

struct line_matcher {
    const struct regex_replacement *replacement;
    pcre2_match_data *data;
    pcre2_match_context *context;
    const char *line;
    size_t n;
};

static void line_matcher_free(struct line_matcher *m) {
    pcre2_match_data_free(m->data);
    pcre2_match_context_free(m->context);
}

static void add_replacement(const struct line_matcher *m, struct buf *out) {
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(m->data);
    const uint32_t groups = pcre2_get_ovector_count(m->data);
    for (size_t i = 0; i < m->replacement->part_count; i++) {
        const struct replacement_part *part = &m->replacement->parts[i];
        if (part->text) {
            buf_add(out, part->text, part->n);
            continue;
        }
        const uint32_t g = part->group;
        if (g < groups && at[2 * g] != PCRE2_UNSET && at[2 * g] <= at[2 * g + 1])
            buf_add(out, m->line + at[2 * g], at[2 * g + 1] - at[2 * g]);
    }
}

/* Copies the character at *AT, if there is one. */
static void copy_character(const struct line_matcher *m, size_t *at, struct buf *out) {
    const size_t from = *at;
    if (from >= m->n)
        return;
    do
        ++*at;
    while (*at < m->n && ((unsigned char)m->line[*at] & 0xC0) == 0x80);
    buf_add(out, m->line + from, *at - from);
}

/* An empty match right behind another match does not count. */
static int replace_matches(const struct line_matcher *m, struct buf *out, size_t *count,
                           struct error *e) {
    const PCRE2_SIZE *at = pcre2_get_ovector_pointer(m->data);
    size_t done = 0, behind = SIZE_MAX;
    while (done <= m->n) {
        int rc = pcre2_match(m->replacement->code, (PCRE2_SPTR)m->line, m->n, done, 0, m->data,
                             m->context);
        if (rc == PCRE2_ERROR_NOMATCH)
            break;
        if (rc < 0 || at[0] < done || at[1] < at[0])
            return fail(e, AQFS_LIMIT, "a line is too complex for the pattern");
        const bool empty = at[0] == at[1];
        buf_add(out, m->line + done, at[0] - done);
        done = at[1];
        if (!empty || at[0] != behind) {
            add_replacement(m, out);
            ++*count;
        }
        behind = done;
        if (empty && done >= m->n)
            return AQFS_OK;
        if (empty)
            copy_character(m, &done, out);
    }
    buf_add(out, m->line + done, m->n - done);
    return AQFS_OK;
}

int regex_replacement_apply(const struct regex_replacement *r, const char *line, size_t n,
                            struct buf *out, size_t *count, struct error *e) {
    AUTO(line_matcher_free)
    struct line_matcher m = {.replacement = r,
                             .data = pcre2_match_data_create_from_pattern(r->code, NULL),
                             .context = pcre2_match_context_create(NULL),
                             .line = line,
                             .n = n};
    if (!m.data || !m.context)
        return fail_memory(e);
    (void)pcre2_set_match_limit(m.context, TRIES_MOST);
    int code = replace_matches(&m, out, count, e);
    return code || !out->failed ? code : fail_memory(e);
}
