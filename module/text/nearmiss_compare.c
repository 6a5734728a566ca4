/* nearmiss_compare.c -- how two texts differ that are equal when folded: see nearmiss_parts.h.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lines.h"
#include "nearmiss_parts.h"
#include "utf8.h"

#include <string.h>

/* The most places, and bytes in them, that are compared: a needle of one letter occurs everywhere.
 */
enum { PLACES_MOST = 200, COMPARED_MOST = 1 << 20 };

/* -- gaps: what folding leaves out ------------------------------------------------------------ */

static struct text_ref piece(struct text_ref text, size_t from, size_t to) {
    return (struct text_ref){text.data + from, to - from};
}

/* The end of the gap at AT, which may hold at most NEWLINES newlines. */
static size_t gap_end(struct text_ref text, size_t at, size_t newlines) {
    while (at < text.len) {
        struct unit u = fold_unit(text.data + at, text.len - at);
        if (u.kind == UNIT_INK || (u.code_point == '\n' && newlines-- == 0))
            break;
        at += u.len;
    }
    return at;
}

/* The beginning of the gap that ends at AT, likewise. */
static size_t gap_start(struct text_ref text, size_t at, size_t newlines) {
    while (at > 0) {
        size_t start = at - 1;
        while (start > 0 && at - start < 4 && utf8_is_continuation((unsigned char)text.data[start]))
            start--;
        struct unit u = fold_unit(text.data + start, at - start);
        if (u.kind == UNIT_INK || u.len != at - start || (u.code_point == '\n' && newlines-- == 0))
            break;
        at = start;
    }
    return at;
}

/* Takes the next character of a gap; 0 at its end.  Every kind of space counts as ' ', and
 * invisible characters are skipped; KINDS records both. */
static char next_blank(struct text_ref *gap, unsigned *kinds) {
    while (gap->len > 0) {
        struct unit u = fold_unit(gap->data, gap->len);
        gap->data += u.len;
        gap->len -= u.len;
        if (u.kind == UNIT_BLANK)
            return u.code_point ? (char)u.code_point : ' ';
        if (u.kind == UNIT_SPACE) {
            *kinds |= NEAR_UNICODE_SPACES;
            return ' ';
        }
        *kinds |= NEAR_INVISIBLE;
    }
    return 0;
}

static bool drop_cr(struct text_ref *gap) {
    bool cr = gap->len > 0 && gap->data[gap->len - 1] == '\r';
    gap->len -= cr;
    return cr;
}

static bool has_tab(struct text_ref gap) {
    return gap.len > 0 && memchr(gap.data, '\t', gap.len);
}

enum where { WITHIN, AT_START, AT_END };

/* How two gaps differ, or the parts of them that belong to one line. */
static unsigned blank_kinds(struct text_ref old, struct text_ref text, enum where where) {
    if (text_ref_equal(old, text))
        return 0;
    unsigned kinds = drop_cr(&old) != drop_cr(&text) ? NEAR_ENDINGS : 0;
    if (text_ref_equal(old, text))
        return kinds;
    struct text_ref old_rest = old, text_rest = text;
    unsigned old_kinds = 0, text_kinds = 0;
    char a, b;
    bool equal = true;
    do {
        a = next_blank(&old_rest, &old_kinds);
        b = next_blank(&text_rest, &text_kinds);
        equal = equal && a == b;
    } while (a || b);
    kinds |= old_kinds ^ text_kinds;
    if (equal)
        return kinds ? kinds : NEAR_UNICODE_SPACES; /* two different spaces */
    if (has_tab(old) != has_tab(text))
        return kinds | NEAR_TABS;
    if (where == WITHIN)
        return kinds | NEAR_SPACES;
    return kinds | (where == AT_START ? NEAR_INDENTATION : NEAR_TRAILING);
}

/* -- the comparison --------------------------------------------------------------------------- */

struct comparer {
    struct text_ref text, old;
    size_t text_at, old_at;
    struct near_comparison result;
};

static void differ(struct comparer *c, unsigned kinds, unsigned cost, size_t text_at,
                   size_t old_at) {
    if (kinds == 0)
        return;
    if (c->result.kinds == 0) {
        c->result.text_at = text_at;
        c->result.old_at = old_at;
    }
    c->result.kinds |= kinds;
    c->result.cost += cost;
}

static size_t text_line_end(struct text_ref text, size_t at, size_t end) {
    const char *newline = end > at ? memchr(text.data + at, '\n', end - at) : NULL;
    return newline ? (size_t)(newline - text.data) : end;
}

/* Compares the gaps that begin where C stands, and moves C behind them. */
static void compare_gaps(struct comparer *c, size_t text_end, size_t old_end) {
    const struct text_ref text = c->text, old = c->old;
    const size_t old_lines = lines_count(old.data + c->old_at, old_end - c->old_at);
    const size_t text_lines = lines_count(text.data + c->text_at, text_end - c->text_at);
    bool starts = c->text_at == 0 || text.data[c->text_at - 1] == '\n';
    const bool ends = text_end == text.len || text.data[text_end] == '\n';
    const size_t lines = old_lines < text_lines ? old_lines : text_lines;
    for (size_t i = 0; i <= lines; i++) {
        const size_t text_stop = text_line_end(text, c->text_at, text_end);
        const size_t old_stop = text_line_end(old, c->old_at, old_end);
        enum where where = i < lines || (ends && !starts) ? AT_END : starts ? AT_START : WITHIN;
        unsigned kinds =
            blank_kinds(piece(old, c->old_at, old_stop), piece(text, c->text_at, text_stop), where);
        if (i == lines && old_lines != text_lines) {
            differ(c, NEAR_BREAKS, 4, text_stop, old_stop);
            break;
        }
        bool joined = where == WITHIN && (text_stop == c->text_at || old_stop == c->old_at);
        differ(c, kinds, joined ? 4 : 1, c->text_at, c->old_at);
        starts = true;
        c->text_at = text_stop + (i < lines);
        c->old_at = old_stop + (i < lines);
    }
    c->text_at = text_end;
    c->old_at = old_end;
}

/* Compares the characters at C that fold to the same bytes, and moves C behind them. */
static void compare_ink(struct comparer *c) {
    struct unit text = fold_unit(c->text.data + c->text_at, c->text.len - c->text_at);
    struct unit old = fold_unit(c->old.data + c->old_at, c->old.len - c->old_at);
    size_t text_end = c->text_at + text.len, old_end = c->old_at + old.len;
    size_t text_folded = text.folded_len, old_folded = old.folded_len;
    /* An ellipsis folds to three characters. */
    while (text_folded < old_folded && text_end < c->text.len) {
        struct unit u = fold_unit(c->text.data + text_end, c->text.len - text_end);
        text_end += u.len;
        text_folded += u.folded_len;
    }
    while (old_folded < text_folded && old_end < c->old.len) {
        struct unit u = fold_unit(c->old.data + old_end, c->old.len - old_end);
        old_end += u.len;
        old_folded += u.folded_len;
    }
    if (!text_ref_equal(piece(c->text, c->text_at, text_end), piece(c->old, c->old_at, old_end))) {
        bool letter = fold_case(text.code_point) == fold_case(old.code_point);
        differ(c, letter ? NEAR_CASE : NEAR_LOOKALIKES, 1, c->text_at, c->old_at);
    }
    c->text_at = text_end;
    c->old_at = old_end;
}

/* The cost of cutting words: OLD was hardly meant where it begins or ends within a word. */
static unsigned cut_words(struct text_ref text, struct span place, struct text_ref old) {
    const size_t end = place.at + place.len;
    bool start_cut =
        place.at > 0 && text_is_word(text.data[place.at - 1]) && text_is_word(old.data[0]);
    bool end_cut =
        end < text.len && text_is_word(text.data[end]) && text_is_word(old.data[old.len - 1]);
    return 3U * start_cut + 3U * end_cut;
}

/* Finds where the place begins.  OLD begins with a gap of HEAD bytes; as many newlines before the
 * first ink belong to the place, and of the line where it begins only what equals OLD's gap. */
static size_t place_start(struct text_ref text, size_t ink_at, struct text_ref old, size_t head) {
    const size_t newlines = lines_count(old.data, head);
    const size_t start = gap_start(text, ink_at, newlines);
    const size_t end = text_line_end(text, start, ink_at), len = text_line_end(old, 0, head);
    bool many = lines_count(text.data + start, ink_at - start) == newlines;
    if (many && end - start >= len &&
        text_ref_equal(piece(text, end - len, end), piece(old, 0, len)))
        return end - len;
    return start;
}

static size_t last_line_start(struct text_ref text, size_t from, size_t to) {
    const size_t start = linewise_start(text.data, to);
    return start > from ? start : from;
}

/* Finds where the place ends, likewise; OLD's last gap begins at TAIL. */
static size_t place_end(struct text_ref text, size_t ink_end, struct text_ref old, size_t tail) {
    const size_t newlines = lines_count(old.data + tail, old.len - tail);
    const size_t end = gap_end(text, ink_end, newlines);
    const size_t start = last_line_start(text, ink_end, end),
                 from = last_line_start(old, tail, old.len);
    const size_t len = old.len - from;
    bool many = lines_count(text.data + ink_end, end - ink_end) == newlines;
    if (many && end - start >= len &&
        text_ref_equal(piece(text, start, start + len), piece(old, from, old.len)))
        return start + len;
    return end;
}

struct near_comparison nearmiss_compare(struct text_ref text, struct span ink,
                                        struct text_ref old) {
    struct comparer c = {.text = text, .old = old};
    size_t ink_end = ink.at + ink.len;
    size_t old_gap = gap_end(old, 0, SIZE_MAX), text_gap = ink.at;
    c.text_at = place_start(text, ink.at, old, old_gap);
    c.result.place.at = c.text_at;
    while (text_gap < ink_end && old_gap < old.len) {
        compare_gaps(&c, text_gap, old_gap);
        compare_ink(&c);
        old_gap = gap_end(old, c.old_at, SIZE_MAX);
        text_gap = gap_end(text, c.text_at, SIZE_MAX);
    }
    ink_end = c.text_at > ink_end ? c.text_at : ink_end; /* an ellipsis may extend beyond the end */
    const size_t end = place_end(text, ink_end, old, c.old_at);
    compare_gaps(&c, end, old.len);
    c.result.place.len = end - c.result.place.at;
    c.result.cost += cut_words(text, c.result.place, old);
    return c.result;
}

/* The range of the characters that were folded to the LEN bytes at AT. */
static struct span ink_of(const struct folded *text, size_t at, size_t len) {
    const size_t start = folded_origin(text, at), last = folded_origin(text, at + len - 1);
    struct unit u = fold_unit(text->text.data + last, text->text.len - last);
    return (struct span){start, last + u.len - start};
}

bool nearmiss_compare_all(const struct folded *text, const struct folded *old,
                          struct near_comparison *best, struct near_places *places) {
    if (old->len == 0 || old->len > text->len)
        return false;
    size_t compared = 0;
    *places = (struct near_places){0};
    const char *at = text->data, *end = text->data + text->len;
    for (int i = 0; i < PLACES_MOST && compared < COMPARED_MOST; i++, at++) {
        at = memmem(at, (size_t)(end - at), old->data, old->len);
        if (!at)
            break;
        struct span ink = ink_of(text, (size_t)(at - text->data), old->len);
        struct near_comparison c = nearmiss_compare(text->text, ink, old->text);
        compared += old->text.len + c.place.len;
        if (places->count == 0 || c.cost < best->cost) {
            *best = c;
            places->count = 1;
        } else if (c.cost == best->cost) {
            if (places->count <= NEARMISS_ALSO)
                places->also[places->count - 1] = c.place.at;
            places->count++;
        }
    }
    return places->count > 0;
}
