/* patch_unified.c -- reading unified diffs, as git and diff -u write them.
 *
 * Strict where something could be lost: a hunk has the lines that its header
 * counts.  Where it does not, its lines count if they end at another hunk or
 * section, because models miscount.  At the end of the patch they count only if
 * they are more: if they are fewer, the patch may have been cut.  After a hunk comes
 * another part of a patch, or the beginning of a text in which patches are sent
 * (mail, a log).  Only there, and before the first section, may any text stand.
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
    bool new_overlaps = range_begin(h->new_start, h->new_count) < new_end;
    if (range_begin(h->old_start, h->old_count) < old_end || (new_overlaps && !before->recounted))
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

/* The lines at which a hunk may end, counted up to the first that cannot be one of them. */
struct hunk_counts {
    size_t old_count, new_count;
    bool certain; /* the lines after them begin another hunk or section, or there are none */
    bool at_end;  /* there are none */
};

/* An empty line may have lost its space, or be there for looks; `-- ` may be a line or the
 * beginning of a signature. */
static bool is_doubtful(const struct patch_reader *r) {
    return r->n == 0 || (patch_at(r, "--") && r->n == 2) || (patch_at(r, "-- ") && r->n == 3);
}

/* Counts the lines of the hunk that begins at the reader's line, apart from what its header says.
 */
static struct hunk_counts count_hunk_lines(struct patch_reader r) {
    struct hunk_counts counted = {0};
    bool doubtful = false;
    for (; !r.done && !patch_at(&r, "@@ -") && !patch_at_header(&r); patch_skip(&r)) {
        char op = r.n > 0 ? r.line[0] : ' ';
        if (op == '\\')
            continue;
        if (op != ' ' && op != '-' && op != '+')
            return counted;
        counted.old_count += op != '+';
        counted.new_count += op != '-';
        doubtful = is_doubtful(&r);
    }
    counted.at_end = r.done;
    counted.certain = !doubtful;
    return counted;
}

/* Fails because the hunk's lines are not as many as its header says. */
static int fail_counts(struct patch_reader *r, const struct patch_hunk *h,
                       const struct hunk_counts *counted) {
    (void)patch_fail(r, h->line, "the hunk says %zu old and %zu new lines, but has %zu and %zu",
                     h->old_count, h->new_count, counted->old_count, counted->new_count);
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

/* The reader's line is not one that the header counts. */
#define MISCOUNTED (-1)

static int read_hunk_line(struct patch_reader *r, struct unified_progress *p) {
    char op = r->n > 0 ? r->line[0] : ' '; /* an empty line easily loses its space */
    if (op == '\\')
        return read_unified_marker(r, p);
    bool is_old = op == ' ' || op == '-', is_new = op == ' ' || op == '+';
    if (r->done || (!is_old && !is_new) || (is_old && !p->old_left) || (is_new && !p->new_left))
        return MISCOUNTED;
    if ((is_old && p->old_ended) || (is_new && p->new_ended))
        return patch_fail(r, r->number, "a line after one that has no newline");
    p->old_left -= is_old;
    p->new_left -= is_new;
    p->changes = p->changes || op != ' ';
    p->op = op;
    patch_skip(r);
    return AQFS_OK;
}

/* Reads the lines that the header counts.  MISCOUNTED also when lines follow that could belong to
 * the hunk: applying only the counted ones would lose them. */
static int read_counted_lines(struct patch_reader *r, struct patch_hunk *h) {
    struct unified_progress p = {.old_left = h->old_count, .new_left = h->new_count};
    int code = AQFS_OK;
    while ((p.old_left > 0 || p.new_left > 0) && code == AQFS_OK)
        code = read_hunk_line(r, &p);
    if (code == AQFS_OK && patch_at(r, "\\"))
        code = read_unified_marker(r, &p);
    if (code != AQFS_OK)
        return code;
    h->end = r->line;
    bool more = patch_at(r, " ") || patch_at(r, "+") || patch_at(r, "-");
    bool is_other = patch_at_header(r) || patch_at(r, "-- ") || (patch_at(r, "--") && r->n == 2);
    if (more && !is_other)
        return MISCOUNTED;
    return p.changes ? AQFS_OK : patch_fail(r, h->line, "the hunk changes nothing");
}

/* Reads the hunk's lines by their first characters, if it is certain where they end. */
static int read_miscounted_lines(struct patch_reader *r, struct patch_hunk *h,
                                 const struct patch_hunk *before) {
    const struct hunk_counts counted = count_hunk_lines(*r);
    bool may_be_cut =
        counted.at_end && (counted.old_count < h->old_count || counted.new_count < h->new_count);
    if (!counted.certain || may_be_cut || counted.old_count + counted.new_count == 0)
        return fail_counts(r, h, &counted);
    h->old_count = counted.old_count;
    h->new_count = counted.new_count;
    h->recounted = true;
    int code = check_ranges(r, h, before);
    code = code ? code : read_counted_lines(r, h);
    return code == MISCOUNTED ? fail_counts(r, h, &counted) : code;
}

static int read_unified_hunk(struct patch_reader *r, struct patch_file *f) {
    struct patch_hunk *h = patch_add_hunk(r, f);
    if (!h)
        return fail_memory(r->error);
    const struct patch_hunk *before = f->hunk_count > 1 ? h - 1 : NULL;
    int code = read_hunk_header(r, h);
    code = code ? code : check_ranges(r, h, before);
    if (code)
        return code;
    patch_skip(r);
    h->body = r->line;
    h->recounted = before && before->recounted;
    const struct patch_reader body = *r;
    code = read_counted_lines(r, h);
    if (code == MISCOUNTED) {
        *r = body;
        code = read_miscounted_lines(r, h, before);
    }
    return code;
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
