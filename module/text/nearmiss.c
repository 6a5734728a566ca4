/* nearmiss.c -- explaining why a text does not hold what an edit was to replace: see nearmiss.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "decoded.h"
#include "lines.h"
#include "nearmiss_parts.h"
#include "utf8.h"

#include <string.h>

/* -- finding ---------------------------------------------------------------------------------- */

/* A place that is less similar than this is not reported. */
#define SIMILAR_LEAST 17

struct near_search {
    struct text_ref text;
    struct folded folded;
    struct nearmiss *out;
    bool blank; /* the needle is white space only */
    /* The first difference, as in struct alignment. */
    struct text_ref text_line, old_line;
    size_t text_at, old_at;
};

static struct text_ref line_around(struct text_ref text, size_t at) {
    const size_t start = linewise_start(text.data, at);
    const char *line = text.data + start, *next = text_next_line(line, text.data + text.len);
    return (struct text_ref){line, (size_t)(next - line) - (next > line && next[-1] == '\n')};
}

static size_t line_number(struct text_ref text, const char *at) {
    return 1 + lines_count(text.data, (size_t)(at - text.data));
}

/* Reports the lines from FIRST to LAST. */
static void name_lines(struct near_search *s, const char *first, const char *last) {
    s->out->first = line_number(s->text, first);
    s->out->last = s->out->first + lines_count(first, (size_t)(last - first));
}

/* Reports the place that C describes, with the lines of both texts at the first difference. */
static void take_comparison(struct near_search *s, const struct near_comparison *c,
                            const struct near_places *places, struct text_ref old) {
    struct nearmiss *out = s->out;
    const char *first = s->text.data + c->place.at;
    const size_t at = c->kinds ? c->text_at : c->place.at;
    name_lines(s, first, first + c->place.len - 1);
    out->kinds |= c->kinds;
    out->line = line_number(s->text, s->text.data + at);
    out->places = places->count;
    for (size_t i = 0; i < NEARMISS_ALSO && i + 1 < places->count; i++)
        out->also[i] = line_number(s->text, s->text.data + places->also[i]);
    s->text_line = line_around(s->text, at);
    s->text_at = at - (size_t)(s->text_line.data - s->text.data);
    if (!c->kinds)
        return; /* the text differs only from old_str before its numbers or escapes were taken off
                 */
    s->old_line = line_around(old, c->old_at);
    s->old_at = c->old_at - (size_t)(s->old_line.data - old.data);
}

/* Finds a place that equals OLD when both are folded.  OLD may also occur exactly, because it may
 * be old_str without its numbers or escapes. */
static bool find_folded(struct near_search *s, struct text_ref old, bool *found) {
    AUTO(folded_free) struct folded needle = {0};
    struct near_comparison best = {0};
    struct near_places places;
    if (!fold_text(old, &needle))
        return false;
    *found = nearmiss_compare_all(&s->folded, &needle, &best, &places);
    if (*found)
        take_comparison(s, &best, &places, old);
    return true;
}

static void take_alignment(struct near_search *s, const struct alignment *a) {
    name_lines(s, a->first, a->last);
    s->out->places = 1;
    s->out->kinds |= a->kinds;
    s->out->line = a->at ? line_number(s->text, a->at) : s->out->last;
    s->text_line = a->text_line;
    s->old_line = a->old_line;
    s->text_at = a->text_at;
    s->old_at = a->old_at;
}

/* Finds the lines that are most similar to OLD's. */
static bool find_similar(struct near_search *s, struct text_ref old) {
    AUTO(folded_free) struct folded needle = {0};
    size_t guesses[SEEK_GUESSES];
    if (!fold_text(old, &needle))
        return false;
    s->blank = needle.len == 0;
    const int n = nearmiss_seek(&s->folded, &needle, guesses);
    struct alignment best = {0};
    for (int i = 0; i < n; i++) {
        struct alignment a;
        if (!nearmiss_align(s->text, folded_origin(&s->folded, guesses[i]), old, &a))
            return false;
        if (a.first && a.similarity > best.similarity)
            best = a;
    }
    if (best.similarity >= SIMILAR_LEAST)
        take_alignment(s, &best);
    return n >= 0;
}

/* A text with fewer characters that are not blank is found by chance. */
enum { TELLING_IN_FILE = 8, TELLING_NEAR = 4 };

static bool is_telling(struct text_ref text, size_t least) {
    size_t seen = 0;
    for (size_t i = 0; i < text.len && seen < least; i++)
        seen += text.data[i] == '\0' || strchr(" \t\r\n", text.data[i]) == NULL;
    return seen == least;
}

/* Was the edit made already?  Yes if NEW tells, and occurs once or within the nearest lines. */
static void find_applied(struct near_search *s, struct text_ref new) {
    const struct text_ref text = s->text;
    if (new.len > text.len || !is_telling(new, TELLING_NEAR))
        return;
    const char *at = memmem(text.data, text.len, new.data, new.len);
    if (!at)
        return;
    const char *end = text.data + text.len;
    if (!memmem(at + 1, (size_t)(end - at) - 1, new.data, new.len) &&
        is_telling(new, TELLING_IN_FILE)) {
        s->out->applied = line_number(text, at);
        return;
    }
    if (s->out->first == 0)
        return;
    size_t from = linewise_below(text.data, text.len, 0, s->out->first - 1);
    size_t to = linewise_below(text.data, text.len, from, s->out->last - s->out->first + 1);
    at = memmem(text.data + from, to - from, new.data, new.len);
    if (at)
        s->out->applied = line_number(text, at);
}

/* -- words ------------------------------------------------------------------------------------ */

enum { EXCERPT_BYTES = 120, EXCERPT_BEFORE = 40, KINDS_NAMED = 4 };

/* Adds a character as JSON spells it; an invisible one as its code. */
static void add_visible(struct buf *out, const char *text, const struct unit *u) {
    static const char letters[] = "\"\\\t\r\n", escapes[] = "\"\\trn";
    const char *letter = u->len == 1 && *text ? strchr(letters, *text) : NULL;
    if (letter) {
        buf_char(out, '\\');
        buf_char(out, escapes[letter - letters]);
    } else if (u->code_point < 0) {
        buf_printf(out, "\\x%02x", (unsigned)(unsigned char)*text);
    } else if (u->kind != UNIT_INK && u->code_point != ' ') {
        buf_printf(out, "\\u%04x", (unsigned)u->code_point);
    } else {
        buf_add(out, text, u->len);
    }
}

/* Adds the part of LINE around offset FOCUS, in quotes. */
static void add_excerpt(struct buf *out, struct text_ref line, size_t focus) {
    size_t at = line.len > EXCERPT_BYTES && focus > EXCERPT_BEFORE ? focus - EXCERPT_BEFORE : 0;
    while (at > 0 && at < line.len && utf8_is_continuation((unsigned char)line.data[at]))
        at--;
    const size_t most = out->len + EXCERPT_BYTES;
    buf_str(out, at > 0 ? "\u2026\"" : "\"");
    while (at < line.len && out->len < most) {
        struct unit u = fold_unit(line.data + at, line.len - at);
        add_visible(out, line.data + at, &u);
        at += u.len;
    }
    buf_str(out, at < line.len ? "\"\u2026" : "\"");
}

static void add_kinds(struct buf *out, unsigned kinds) {
    static const char *const words[] = {
#define X(constant, text) text,
        NEAR_KINDS(X)
#undef X
    };
    int named = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words && named < KINDS_NAMED; i++) {
        if (!(kinds >> i & 1))
            continue;
        const bool last = kinds >> i == 1 || named + 1 == KINDS_NAMED;
        buf_str(out, named == 0 ? "" : last ? " and " : ", ");
        buf_str(out, words[i]);
        named++;
    }
}

static void add_line_range(struct buf *out, const struct nearmiss *n) {
    if (n->first == n->last)
        buf_printf(out, "line %zu", n->first);
    else
        buf_printf(out, "lines %zu-%zu", n->first, n->last);
}

/* Names the other places that are equally near. */
static void add_also(struct buf *out, const struct nearmiss *n) {
    if (n->places < 2)
        return;
    buf_str(out, " (as near: line ");
    for (size_t i = 0; i < NEARMISS_ALSO && i + 1 < n->places; i++)
        buf_printf(out, "%s%zu", i > 0 ? ", " : "", n->also[i]);
    buf_str(out, n->places > NEARMISS_ALSO + 1 ? " and others)" : ")");
}

static void add_difference(struct buf *out, const struct near_search *s) {
    if (s->text_line.data) {
        buf_printf(out, "\nline %zu is: ", s->out->line);
        add_excerpt(out, s->text_line, s->text_at);
    }
    if (s->old_line.data) {
        buf_str(out, s->text_line.data ? "\nold_str has: " : "\nold_str has in addition: ");
        add_excerpt(out, s->old_line, s->old_at);
    }
}

static void describe_nearest(const struct near_search *s) {
    const struct nearmiss *n = s->out;
    struct buf *out = &s->out->words;
    buf_str(out, "old_str does not occur in the file");
    if (n->applied > 0)
        buf_printf(out, ". new_str is there already, on line %zu", n->applied);
    if (s->blank) {
        buf_str(out, "; it is white space only");
    } else if (n->first == 0) {
        buf_str(out, n->applied > 0 ? "" : ", and nothing like it");
    } else {
        buf_str(out, ". Nearest to it: ");
        add_line_range(out, n);
        add_also(out, n);
        buf_str(out, n->kinds ? ". It differs in " : "");
        add_kinds(out, n->kinds);
        add_difference(out, s);
    }
    if (s->text.len == NEARMISS_BYTES)
        buf_printf(out, "\n(only the first %zu MiB were looked at for it)", NEARMISS_BYTES >> 20);
}

/* -- the whole -------------------------------------------------------------------------------- */

/* Finds OLD, or OLD without its NUMBERS or ESCAPES, which a caller may have meant.  These are empty
 * when OLD has none. */
static bool find_nearest(struct near_search *s, struct text_ref old, struct text_ref numbers,
                         struct text_ref escapes) {
    bool found = false;
    if (numbers.len > 0) {
        old = numbers;
        s->out->kinds |= NEAR_NUMBERS;
    }
    if (!find_folded(s, old, &found))
        return false;
    if (!found && escapes.len > 0) {
        if (!find_folded(s, escapes, &found))
            return false;
        s->out->kinds |= found ? NEAR_ESCAPES : 0;
    }
    return found || find_similar(s, old);
}

bool nearmiss_find(struct text_ref text, struct text_ref old_str, struct text_ref new_str,
                   struct nearmiss *out) {
    *out = (struct nearmiss){0};
    if (text.len == 0)
        text.data = ""; /* data may be NULL, to which no offset may be added */
    text.len = text.len < NEARMISS_BYTES ? text.len : NEARMISS_BYTES;
    struct near_search s = {.text = text, .out = out};
    AUTO(buf_free) struct buf numbers = {0}, escapes = {0};
    const bool numbered = text_without_numbers(old_str, &numbers);
    const bool escaped = text_without_escapes(old_str, &escapes) != 0;
    const struct text_ref none = {0};
    bool ok =
        !numbers.failed && !escapes.failed && fold_text(text, &s.folded) &&
        find_nearest(&s, old_str, numbered ? (struct text_ref){numbers.data, numbers.len} : none,
                     escaped ? (struct text_ref){escapes.data, escapes.len} : none);
    folded_free(&s.folded);
    if (ok) {
        find_applied(&s, new_str);
        describe_nearest(&s);
    }
    return ok && !out->words.failed;
}

void nearmiss_free(struct nearmiss *n) {
    buf_free(&n->words);
}

/* -- the error --------------------------------------------------------------------------------- */

/* Is OLD, without the line break at its end, the end of a text that does not end in one? */
static bool misses_last_break(struct text_ref text, struct text_ref old) {
    size_t n = old.len > 0 && old.data[old.len - 1] == '\n' ? old.len - 1 : 0;
    return n > 0 && n <= text.len && memcmp(text.data + text.len - n, old.data, n) == 0;
}

/* Adds the lines from FIRST to LAST. */
static void add_nearest(struct text_ref text, const struct nearmiss *near, struct buf *out) {
    const size_t from = linewise_below(text.data, text.len, 0, near->first - 1);
    const size_t to = linewise_below(text.data, text.len, from, near->last - near->first + 1);
    if (to - from <= NEAREST_BYTES)
        buf_add(out, text.data + from, to - from);
}

int nearmiss_fail(struct text_ref text, struct text_ref old_str, struct text_ref new_str,
                  const char *label, struct buf *nearest, struct error *e) {
    AUTO(nearmiss_free) struct nearmiss near;
    if (!nearmiss_find(text, old_str, new_str, &near))
        return fail_memory(e);
    if (nearest && near.first > 0)
        add_nearest(text, &near, nearest);
    (void)fail(e, AQFS_NO_MATCH, "%s%s", label, near.words.data);
    if (misses_last_break(text, old_str))
        error_hint(e, "the file does not end in a line break: leave out the one at the end of "
                      "old_str");
    else if (near.kinds & NEAR_NUMBERS)
        error_hint(e, "leave out the numbers: they are not in the file");
    else if (near.applied > 0)
        error_hint(e, "this edit may have been made already: read the file again");
    else if (near.first == 0)
        error_hint(e, "nothing was changed; read the file again: it may not be the expected one");
    else if (near.first == near.last)
        error_hint(e, "nothing was changed; copy old_str exactly from line %zu", near.first);
    else
        error_hint(e, "nothing was changed; copy old_str exactly from lines %zu-%zu", near.first,
                   near.last);
    return AQFS_NO_MATCH;
}
