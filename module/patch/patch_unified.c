/* patch_unified.c -- reading unified diffs, as git and diff -u write them.
 *
 * Strict where something could be lost: a hunk has exactly the lines that its
 * header counts.  After it comes another part of a patch, or the beginning of a
 * text in which patches are sent (mail, a log).  Only there, and before the
 * first section, may any text stand.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_header.h"

#include <stdint.h>
#include <string.h>

/* Reads decimal digits.  A number beyond every file's lines becomes NUMBER_MAX + 1. */
#define NUMBER_MAX INT32_MAX

static bool read_number(const char **at, const char *end, size_t *number) {
    const char *from = *at;
    size_t value = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        if (value <= NUMBER_MAX)
            value = value * 10 + (size_t)(**at - '0');
    }
    *number = value <= NUMBER_MAX ? value : (size_t)NUMBER_MAX + 1;
    return *at > from;
}

static bool skip_words(const char **at, const char *end, const char *words) {
    size_t n = strlen(words);
    if ((size_t)(end - *at) < n || memcmp(*at, words, n) != 0)
        return false;
    *at += n;
    return true;
}

static bool read_range(const char **at, const char *end, size_t *start, size_t *count) {
    *count = 1;
    return read_number(at, end, start) &&
           (!skip_words(at, end, ",") || read_number(at, end, count));
}

/* The first line of a range. */
static size_t range_begin(size_t start, size_t count) {
    return start + (count == 0); /* an empty range stands after its line */
}

static int check_ranges(struct patch_reader *r, const struct patch_hunk *h,
                        const struct patch_hunk *before) {
    if (h->old_start > NUMBER_MAX || h->old_count > NUMBER_MAX || h->new_start > NUMBER_MAX ||
        h->new_count > NUMBER_MAX)
        return patch_fail(r, h->line, "a number in the hunk's header is too large");
    if (h->old_count == 0 && h->new_count == 0)
        return patch_fail(r, h->line, "the hunk is empty");
    if ((h->old_start == 0 && h->old_count > 0) || (h->new_start == 0 && h->new_count > 0))
        return patch_fail(r, h->line, "lines are counted from 1");
    if (!before)
        return AQFS_OK;
    size_t old_end = range_begin(before->old_start, before->old_count) + before->old_count;
    size_t new_end = range_begin(before->new_start, before->new_count) + before->new_count;
    if (range_begin(h->old_start, h->old_count) < old_end ||
        range_begin(h->new_start, h->new_count) < new_end)
        return patch_fail(r, h->line,
                          "the hunk overlaps the one at line %zu, or they are out of order",
                          before->line);
    return AQFS_OK;
}

/* Reads `@@ -1,2 +1,3 @@`; git adds the function in which that is. */
static int read_hunk_header(struct patch_reader *r, struct patch_hunk *h) {
    const char *at = r->line, *end = r->line + r->n;
    bool ok = skip_words(&at, end, "@@ -") && read_range(&at, end, &h->old_start, &h->old_count) &&
              skip_words(&at, end, " +") && read_range(&at, end, &h->new_start, &h->new_count) &&
              skip_words(&at, end, " @@");
    if (!ok)
        return patch_fail(r, r->number, "a hunk begins with @@ -LINE,COUNT +LINE,COUNT @@");
    return AQFS_OK;
}

/* Fails because the hunk's lines, up to the first that cannot be one, are not as many as it says.
 */
static int fail_counts(struct patch_reader *r, const struct patch_hunk *h) {
    size_t old_count = 0, new_count = 0;
    struct patch_hunk all = {.body = h->body, .end = r->end, .crlf = h->crlf};
    struct patch_line line;
    for (const char *at = all.body; patch_next_line(&all, &at, &line);) {
        bool is_line = line.op == ' ' || line.op == '-' || line.op == '+';
        bool is_header = line.op == '-' && line.n > 2 && memcmp(line.text, "-- ", 3) == 0 &&
                         r->end - at > 3 && memcmp(at, "+++ ", 4) == 0;
        if (!is_line || is_header)
            break;
        old_count += line.op != '+';
        new_count += line.op != '-';
    }
    (void)patch_fail(r, h->line, "the hunk says %zu old and %zu new lines, but has %zu and %zu",
                     h->old_count, h->new_count, old_count, new_count);
    error_hint(r->error, "correct the numbers, and begin every line with a space, - or +");
    return AQFS_PATCH_PARSE;
}

/* The state of reading a hunk. */
struct unified_progress {
    size_t old_left, new_left;
    bool old_ended, new_ended; /* by a line without newline */
    bool changes;
    char op; /* of the line before */
};

/* Reads `\ No newline at end of file`. */
static int read_unified_marker(struct patch_reader *r, struct unified_progress *p) {
    if (!patch_at(r, "\\ ") || p->op == '\0' || p->op == '\\')
        return patch_fail(r, r->number, "a \\ line may only follow a hunk's line");
    p->old_ended = p->old_ended || p->op != '+';
    p->new_ended = p->new_ended || p->op != '-';
    p->op = '\\';
    patch_skip(r);
    return AQFS_OK;
}

static int read_hunk_line(struct patch_reader *r, const struct patch_hunk *h,
                          struct unified_progress *p) {
    char op = r->n > 0 ? r->line[0] : ' '; /* an empty line easily loses its space */
    if (op == '\\')
        return read_unified_marker(r, p);
    bool is_old = op == ' ' || op == '-', is_new = op == ' ' || op == '+';
    if (r->done || (!is_old && !is_new) || (is_old && !p->old_left) || (is_new && !p->new_left))
        return fail_counts(r, h);
    if ((is_old && p->old_ended) || (is_new && p->new_ended))
        return patch_fail(r, r->number, "a line after one that has no newline");
    p->old_left -= is_old;
    p->new_left -= is_new;
    p->changes = p->changes || op != ' ';
    p->op = op;
    patch_skip(r);
    return AQFS_OK;
}

/* Refuses a hunk after whose counted lines come lines that could belong to it.  Its header counts
 * wrong, and applying only the counted lines would lose the others. */
static int read_unified_hunk(struct patch_reader *r, struct patch_file *f) {
    struct patch_hunk *h = patch_add_hunk(r, f);
    if (!h)
        return fail_memory(r->error);
    int code = read_hunk_header(r, h);
    if (code)
        return code;
    code = check_ranges(r, h, f->hunk_count > 1 ? h - 1 : NULL);
    if (code)
        return code;
    patch_skip(r);
    h->body = r->line;
    struct unified_progress p = {.old_left = h->old_count, .new_left = h->new_count};
    while ((p.old_left > 0 || p.new_left > 0) && code == AQFS_OK)
        code = read_hunk_line(r, h, &p);
    if (code == AQFS_OK && patch_at(r, "\\"))
        code = read_unified_marker(r, &p);
    if (code != AQFS_OK)
        return code;
    h->end = r->line;
    if (!p.changes)
        return patch_fail(r, h->line, "the hunk changes nothing");
    bool more = patch_at(r, " ") || patch_at(r, "+") || patch_at(r, "-");
    bool is_other = patch_at_header(r) || patch_at(r, "-- ") || (patch_at(r, "--") && r->n == 2);
    return more && !is_other ? fail_counts(r, h) : AQFS_OK;
}

static int check_hunks(struct patch_reader *r, const struct patch_file *f) {
    if (f->hunk_count == 0 && f->action == PATCH_MODIFY &&
        (f->new_mode == 0 || f->new_mode == f->old_mode))
        return patch_fail(r, f->line, "the section has no hunk and changes nothing");
    for (size_t i = 0; i < f->hunk_count; i++) {
        const struct patch_hunk *h = &f->hunks[i];
        if ((f->action == PATCH_ADD && h->old_count > 0) ||
            (f->action == PATCH_DELETE && h->new_count > 0) ||
            (i > 0 && (f->action == PATCH_ADD || f->action == PATCH_DELETE)))
            return patch_fail(r, h->line, "the hunk does not fit a file that is %s",
                              f->action == PATCH_ADD ? "added" : "deleted");
    }
    return AQFS_OK;
}

static int read_unified_section(struct patch_reader *r, struct patch_prefixes *prefixes) {
    struct patch_file *f = patch_add_file(r);
    if (!f)
        return fail_memory(r->error);
    bool plain = !patch_at(r, "diff --git ");
    int code = patch_read_header(r, f, prefixes);
    if (code == AQFS_OK && plain && !patch_at(r, "@@"))
        return patch_fail(r, r->number, "a hunk is expected after the two names");
    while (code == AQFS_OK && patch_at(r, "@@"))
        code = read_unified_hunk(r, f);
    return code == AQFS_OK ? check_hunks(r, f) : code;
}

/* May any text follow, because the line belongs to a mail, a log or the output of diff -r? */
static bool begins_commentary(const struct patch_reader *r) {
    static const char *const words[] = {"diff ", "Index: ", "commit ", "From "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (patch_at(r, words[i]))
            return true;
    }
    /* A mail's signature, unless it is a removed line `- `, which looks the same. */
    bool signature = (patch_at(r, "--") && r->n == 2) || (patch_at(r, "-- ") && r->n == 3);
    return signature && !patch_before(r, " ") && !patch_before(r, "+") && !patch_before(r, "-") &&
           !patch_before(r, "@") && !patch_before(r, "\\");
}

/* Reads a line outside of sections. */
static int read_other(struct patch_reader *r, bool *commentary) {
    int code = patch_refuse_foreign(r);
    if (code != AQFS_OK)
        return code;
    if (patch_at(r, "@@ -"))
        return patch_fail(r, r->number, "a hunk without the name of its file before it");
    *commentary = *commentary || begins_commentary(r);
    if (!*commentary && !patch_at_blank(r)) {
        (void)patch_fail(r, r->number, "this text belongs to no hunk");
        error_hint(r->error, "the hunk before it has all the lines that its header counts");
        return AQFS_PATCH_PARSE;
    }
    patch_skip(r);
    return AQFS_OK;
}

int patch_read_unified(struct patch_reader *r) {
    struct patch_prefixes prefixes = {0};
    bool commentary = true;
    int code = AQFS_OK;
    while (!r->done && code == AQFS_OK) {
        if (patch_at_header(r)) {
            code = read_unified_section(r, &prefixes);
            commentary = false;
        } else {
            code = read_other(r, &commentary);
        }
    }
    return code == AQFS_OK ? patch_settle_prefixes(r, &prefixes) : code;
}
