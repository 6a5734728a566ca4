/* patch_mistake.c -- what models write into patches that no file has: see patch_mistake.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "patch_mistake.h"

#include <strings.h>

/* -- lines that stand for others --------------------------------------------------------------- */

#define ELLIPSIS "\xE2\x80\xA6"

/* The bytes of the three dots at the beginning of TEXT, or of more, or of one sign for them; 0 for
 * none. */
static size_t dots_length(const char *text, size_t n) {
    if (patch_begins(text, n, ELLIPSIS))
        return strlen(ELLIPSIS);
    size_t dots = 0;
    while (dots < n && text[dots] == '.')
        dots++;
    return dots >= 3 ? dots : 0;
}

/* Cuts the signs with which comments begin off the beginning of a line; false if it has none. */
static bool skip_comment_signs(const char **line, size_t *n) {
    const size_t before = *n;
    while (*n > 0 && strchr("/#;*%<!-([{", **line)) {
        ++*line;
        --*n;
    }
    const bool signs = *n < before;
    patch_trim(line, n);
    return signs;
}

/* Finds the words behind the dots with which a line begins.  *SIGNS: it is a comment or in
 * brackets. */
static bool find_words(const char **line, size_t *n, bool *signs) {
    patch_trim(line, n);
    *signs = skip_comment_signs(line, n);
    const size_t dots = dots_length(*line, *n);
    *line += dots;
    *n -= dots;
    return dots > 0 && (*n == 0 || strchr(" \t*-])}", **line));
}

bool patch_stands_for_lines(const char *line, size_t n) {
    bool signs;
    return find_words(&line, &n, &signs);
}

static bool has_phrase(const char *text, size_t n, const char *phrase) {
    const size_t length = strlen(phrase);
    for (size_t i = 0; i + length <= n; i++)
        if (strncasecmp(text + i, phrase, length) == 0)
            return true;
    return false;
}

static bool ends_in_dots(const char *text, size_t n) {
    while (n > 0 && strchr(" \t*/->])}", text[n - 1]))
        n--;
    return (n >= 3 && memcmp(text + n - 3, "...", 3) == 0) ||
           (n >= strlen(ELLIPSIS) && patch_begins(text + n - strlen(ELLIPSIS), n, ELLIPSIS));
}

bool patch_says_left_out(const char *line, size_t n) {
    static const char *const phrases[] = {"existing", "unchanged", "rest of",   "remaining",
                                          "same as",  "omitted",   "as before", "other code",
                                          "previous", "no change"};
    bool signs, says = false;
    if (!find_words(&line, &n, &signs))
        return false;
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases && !says; i++)
        says = has_phrase(line, n, phrases[i]);
    return says && (signs || ends_in_dots(line, n));
}

/* -- lines with numbers in front --------------------------------------------------------------- */

/* A number at the beginning of a line, and what tools put behind it. */
static bool has_number(const char *line, size_t n) {
    patch_trim(&line, &n);
    size_t digits = 0;
    while (digits < n && line[digits] >= '0' && line[digits] <= '9')
        digits++;
    const char *rest = line + digits;
    n -= digits;
    return digits > 0 && digits < 8 &&
           (n == 0 || strchr("\t|: ", *rest) || patch_begins(rest, n, "\xE2\x86\x92"));
}

/* Do all old lines of a hunk that say something have numbers in front, and at least two? */
static bool has_numbered_lines(const struct patch_hunk *hunk) {
    size_t numbered = 0;
    struct patch_line line;
    for (const char *at = hunk->body; patch_next_line(hunk, &at, &line);) {
        const char *text = line.text;
        size_t n = line.n;
        patch_trim(&text, &n);
        if (line.op == '+' || n == 0)
            continue;
        if (!has_number(text, n))
            return false;
        numbered++;
    }
    return numbered > 1;
}

/* -- hunks that do not fit --------------------------------------------------------------------- */

static void hint_left_out(const char *line, size_t n, struct error *e) {
    char label[PATCH_LABEL];
    patch_trim(&line, &n);
    error_hint(e,
               "%s stands for lines that were left out: write them as the file has them, or make "
               "two hunks, one for each side",
               patch_label(line, n, label));
}

static bool hint_left_out_lines(const struct patch_hunk *hunk, struct error *e) {
    struct patch_line line;
    for (const char *at = hunk->body; patch_next_line(hunk, &at, &line);) {
        if (line.op == '+' || !patch_stands_for_lines(line.text, line.n))
            continue;
        hint_left_out(line.text, line.n, e);
        return true;
    }
    return false;
}

#define NUMBERS_HINT "leave out the line numbers: they are not in the file"

void patch_hint_hunk(const struct patch_hunk *hunk, struct error *e) {
    if (e->hint[0] || hint_left_out_lines(hunk, e))
        return;
    if (has_numbered_lines(hunk))
        error_hint(e, NUMBERS_HINT);
}

/* -- patches that cannot be read --------------------------------------------------------------- */

static struct patch_reader at_first_written_line(const struct patch_reader *end, const char *text,
                                                 size_t n) {
    struct patch_reader r = {.next = text, .end = text + n, .crlf = end->crlf};
    do {
        patch_skip(&r);
    } while (patch_at_blank(&r));
    return r;
}

static bool has_line(struct patch_reader r, const char *words) {
    while (!r.done && !patch_at(&r, words))
        patch_skip(&r);
    return !r.done;
}

/* The hint about a mistake of the patch as a whole. */
static const char *hint_for_whole(const struct patch_reader *r, const char *text, size_t n) {
    const struct patch_reader first = at_first_written_line(r, text, n);
    const char *line = first.line;
    size_t length = first.n;
    patch_trim(&line, &length);
    if (!memchr(text, '\n', n) && memmem(text, n, "\\n", 2))
        return "the patch has \\n in place of line breaks: send real ones";
    if (has_line(first, "<<<<<<<") && has_line(first, ">>>>>>>"))
        return "write it as a patch: the lines of the first part with - in front, those of the "
               "second with +";
    if (patch_detect(text, n) == PATCH_UNIFIED)
        return r->patch->file_count > 0 || has_line(first, "@@")
                   ? NULL
                   : "expected a unified diff (--- PATH, +++ PATH, @@ -LINE,COUNT +LINE,COUNT @@) "
                     "or an envelope (*** Begin Patch, *** Update File: PATH, @@, lines that begin "
                     "with a space, - or +, *** End Patch)";
    if (!patch_begins(line, length, "*** Begin Patch"))
        return has_line(first, "*** Begin Patch")
                   ? "send the lines from *** Begin Patch to *** End Patch alone, without words or "
                     "commands around them"
                   : "put *** Begin Patch above the first section, and *** End Patch below the "
                     "last";
    return line > first.line ? "begin the lines of the patch at the margin: all are indented"
                             : NULL;
}

/* A line of this hunk that stands for others, or has no sign of its own but a number. */
static bool hint_for_lines(struct patch_reader *r) {
    struct patch_reader at = *r;
    for (size_t i = 0; !at.done && (i == 0 || !patch_at(&at, "@@")) && !patch_at(&at, "***");
         i++, patch_skip(&at)) {
        const bool sign = at.n > 0 && strchr(" -+", at.line[0]);
        if (at.n > 0 && at.line[0] != '+' && patch_stands_for_lines(at.line + sign, at.n - sign)) {
            hint_left_out(at.line + sign, at.n - sign, r->error);
            return true;
        }
        if (at.n > 0 && !sign && has_number(at.line, at.n)) {
            error_hint(r->error, NUMBERS_HINT);
            return true;
        }
    }
    return false;
}

static const char *hint_for_place(const struct patch_reader *r) {
    const bool envelope = r->patch->format == PATCH_ENVELOPE;
    if (envelope && r->done)
        return "the patch may have been cut: send all of it, or parts that each end in *** End "
               "Patch";
    if (envelope && patch_at(r, "*** End Patch"))
        return NULL;
    if (envelope && !patch_at(r, "***") && !patch_at(r, "@@"))
        return "begin every line of a hunk with a space, - or +, also those that stay";
    if (!envelope && patch_at(r, "@@"))
        return "count the lines, or send an envelope (*** Begin Patch), whose hunks begin with @@ "
               "alone";
    return NULL;
}

void patch_hint_reading(struct patch_reader *r, const char *text, size_t n) {
    if (hint_for_lines(r))
        return;
    const char *hint = r->error->hint[0] ? NULL : hint_for_whole(r, text, n);
    if (!hint && !r->error->hint[0])
        hint = hint_for_place(r);
    if (hint)
        error_hint(r->error, "%s", hint);
}
