/* nearmiss_align.c -- aligning a needle's lines with a text's: see nearmiss_parts.h.
 *
 * Finds the cheapest alignment of the needle's lines, from first to last.  Each
 * step pairs two lines or skips a line of one side, and stays within SLIP lines
 * of the guess.  The table has a row for each line of the needle and 2 * SLIP +
 * 1 columns.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cleanup.h"
#include "lines.h"
#include "nearmiss_parts.h"

#include <string.h>

enum {
    OLD_LINES_MOST = 512, /* only the first lines of a longer needle are aligned */
    SLIP = 32,
    COLUMNS = 2 * SLIP + 1,
    LINE_MOST = 4096, /* bytes of a line that are compared */
    SIGNATURE_WORDS = 4,
    GRAM = 3,
    /* The costs of a pair of lines, and of a line without a partner. */
    COST_FOLDED = 2, /* equal when folded */
    COST_END = 15,
    COST_WORDS = 30, /* equal but for a word */
    COST_DIFFERENT = 100,
    COST_BLANK = 130,     /* one is blank, the other not: dearer than leaving both alone */
    COST_OLD_ALONE = 110, /* a model leaves out or changes a line more often than it invents one */
    COST_TEXT_ALONE = 25,
    COST_BLANK_ALONE = 15,
};

struct line {
    struct text_ref raw; /* without its newline */
    struct text_ref folded;
    uint64_t signature[SIGNATURE_WORDS]; /* a bloom filter of its sequences of GRAM folded bytes */
    unsigned bits;
};

enum align_step { PAIR, OLD_ALONE, TEXT_ALONE, START };

struct aligner {
    struct line *old, *text;
    size_t old_count, text_count;
    size_t guess;         /* the line of the text that the guess pairs with the needle's first... */
    const char *guess_at; /* ...and where in it the needle may begin */
    bool indented;        /* the needle begins with white space */
    bool open_end;        /* the needle may end within a line */
    uint32_t costs[2][COLUMNS];
    unsigned char (*steps)[COLUMNS];
};

/* -- lines ------------------------------------------------------------------------------------ */

static unsigned popcount(const uint64_t words[SIGNATURE_WORDS]) {
    unsigned bits = 0;
    for (int i = 0; i < SIGNATURE_WORDS; i++)
        bits += (unsigned)__builtin_popcountll(words[i]);
    return bits;
}

static void sign(struct line *line) {
    const struct text_ref f = line->folded;
    memset(line->signature, 0, sizeof line->signature);
    for (size_t i = 0; i < f.len && (i == 0 || i + GRAM <= f.len); i++) {
        uint32_t gram = 0;
        for (size_t j = i; j < i + GRAM && j < f.len; j++)
            gram = gram << 8 | (unsigned char)f.data[j];
        uint32_t bit = gram * UINT32_C(0x9E3779B1) >> 24;
        line->signature[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    line->bits = popcount(line->signature);
}

/* Splits TEXT into at most MOST lines and returns their number.  Folded forms go to FOLDED.  GUESS
 * is the offset that matters in TEXT. */
static size_t split(struct text_ref text, size_t most, size_t guess, struct line *lines,
                    struct buf *folded) {
    size_t n = 0;
    const char *at = text.data, *end = text.data + text.len;
    for (; n < most && at < end; n++) {
        const char *next = text_next_line(at, end);
        struct text_ref raw = {at, (size_t)(next - at) - (next[-1] == '\n')};
        if (raw.len > LINE_MOST) {
            /* Of a very long line, takes the part around the guess. */
            const size_t start = (size_t)(at - text.data);
            size_t skip = guess > start && guess < start + raw.len ? guess - start : 0;
            skip = skip > LINE_MOST / 4 ? skip - LINE_MOST / 4 : 0;
            raw.data += skip;
            raw.len = raw.len - skip < LINE_MOST ? raw.len - skip : LINE_MOST;
        }
        size_t len = fold_into(raw, folded->data + folded->len, raw.len);
        lines[n] = (struct line){.raw = raw, .folded = {folded->data + folded->len, len}};
        folded->len += len;
        sign(&lines[n]);
        at = next;
    }
    return n;
}

/* -- costs ------------------------------------------------------------------------------------ */

/* Does the needle's line OLD fit the line TEXT?  It must be the whole line; where the needle begins
 * within a line, its end; where the needle ends within a line, its beginning. */
static bool fits_old_line(struct text_ref old, struct text_ref text, bool open_start,
                          bool open_end) {
    if (old.len > text.len || (old.len < text.len && !open_start && !open_end))
        return false;
    if (old.len == 0)
        return true;
    if (open_start && open_end)
        return memmem(text.data, text.len, old.data, old.len);
    return memcmp(text.data + (open_start ? text.len - old.len : 0), old.data, old.len) == 0;
}

static bool is_equal(const struct aligner *a, size_t i, size_t j) {
    return fits_old_line(a->old[i].raw, a->text[j].raw, i == 0,
                         i + 1 == a->old_count && a->open_end);
}

/* The cost of pairing the needle's line I with the text's line J.  Lines that are not equal in any
 * form cost less, the more byte sequences they share. */
static uint32_t pair_cost(const struct aligner *a, size_t i, size_t j) {
    const struct line *old = &a->old[i], *text = &a->text[j];
    const bool open_start = i == 0, open_end = i + 1 == a->old_count && a->open_end;
    if (fits_old_line(old->folded, text->folded, open_start, open_end)) {
        if (old->bits == 0 && text->bits > 0)
            return COST_END; /* an empty line would fit the end of any line, but fits an empty one
                                best */
        return is_equal(a, i, j) ? 0 : COST_FOLDED;
    }
    if (old->bits == 0 || text->bits == 0)
        return COST_BLANK;
    uint64_t common[SIGNATURE_WORDS];
    for (int k = 0; k < SIGNATURE_WORDS; k++)
        common[k] = old->signature[k] & text->signature[k];
    const unsigned both = popcount(common);
    unsigned share = 200 * both / (old->bits + text->bits);
    /* A needle that begins with white space hardly begins in the middle of a line. */
    if ((open_start && !a->indented) || open_end)
        share = (3 * share + 7 * (100 * both / old->bits)) / 10;
    return COST_DIFFERENT - (COST_DIFFERENT - COST_WORDS) * share / 100;
}

static uint32_t alone_cost(const struct line *line, uint32_t cost) {
    return line->bits > 0 ? cost : COST_BLANK_ALONE;
}

/* -- the table -------------------------------------------------------------------------------- */

/* The next line of the text in COLUMN of row I, or a number beyond all lines. */
static size_t line_in_column(const struct aligner *a, size_t i, size_t column) {
    return a->guess + i + column < SLIP ? SIZE_MAX : a->guess + i + column - SLIP;
}

static void improve(struct aligner *a, size_t row, size_t column, uint32_t cost,
                    enum align_step step) {
    uint32_t *best = &a->costs[row % 2][column];
    if (cost < *best) {
        *best = cost;
        a->steps[row][column] = (unsigned char)step;
    }
}

static void clear_row(struct aligner *a, size_t row) {
    for (size_t column = 0; column < COLUMNS; column++) {
        a->costs[row % 2][column] = UINT32_MAX;
        a->steps[row][column] = START;
    }
}

/* Fills row I + 1 from row I, in which I lines of the needle are done. */
static void fill_row(struct aligner *a, size_t i) {
    clear_row(a, i + 1);
    for (size_t column = 0; column < COLUMNS; column++) {
        const uint32_t cost = a->costs[i % 2][column];
        const size_t j = line_in_column(a, i, column);
        if (cost == UINT32_MAX)
            continue;
        if (j < a->text_count) {
            improve(a, i + 1, column, cost + pair_cost(a, i, j), PAIR);
            if (i > 0 && column + 1 < COLUMNS)
                improve(a, i, column + 1, cost + alone_cost(&a->text[j], COST_TEXT_ALONE),
                        TEXT_ALONE);
        }
        if (column > 0)
            improve(a, i + 1, column - 1, cost + alone_cost(&a->old[i], COST_OLD_ALONE), OLD_ALONE);
    }
}

/* The column of the last row in which the cheapest alignment ends; COST is its cost. */
static size_t fill_costs(struct aligner *a, uint32_t *cost) {
    clear_row(a, 0);
    for (size_t column = 0; column < COLUMNS; column++)
        if (line_in_column(a, 0, column) <= a->text_count)
            a->costs[0][column] = 0;
    for (size_t i = 0; i < a->old_count; i++)
        fill_row(a, i);
    const uint32_t *last = a->costs[a->old_count % 2];
    size_t best = SLIP; /* of equally cheap ones, the nearest to the guess */
    for (size_t d = 0; d <= SLIP; d++) {
        best = last[SLIP - d] < last[best] ? SLIP - d : best;
        best = last[SLIP + d] < last[best] ? SLIP + d : best;
    }
    *cost = last[best];
    return best;
}

/* -- the way ---------------------------------------------------------------------------------- */

/* Finds the offsets at which two paired lines differ. */
static void find_focus(const struct aligner *a, size_t i, struct alignment *out) {
    const struct text_ref old = out->old_line, text = out->text_line;
    const size_t n = old.len < text.len ? old.len : text.len;
    if (i > 0) {
        out->text_at = out->old_at = common_head(old.data, text.data, n);
    } else if (a->old_count > 1 || !a->open_end) {
        size_t tail = common_tail(old.data + old.len, text.data + text.len, n);
        out->text_at = text.len - tail;
        out->old_at = old.len - tail;
    } else if (a->guess_at > text.data && a->guess_at < text.data + text.len) {
        out->text_at = (size_t)(a->guess_at - text.data);
    }
}

/* Finds how two lines differ that are equal when folded. */
static bool compare_pair(const struct aligner *a, size_t i, size_t j, struct alignment *out) {
    struct near_comparison c;
    struct near_places places;
    AUTO(folded_free) struct folded text = {0}, old = {0};
    if (!fold_text(a->text[j].raw, &text) || !fold_text(a->old[i].raw, &old))
        return false;
    if (nearmiss_compare_all(&text, &old, &c, &places)) {
        out->kinds |= c.kinds;
        out->text_at = c.text_at;
        out->old_at = c.old_at;
    }
    return true;
}

#define SIMILAR 70 /* a pair that costs less is one line with a few other words */

/* Records the difference in STEP.  Steps come last first, so the last one recorded is the first in
 * the text. */
static bool note_difference(const struct aligner *a, enum align_step step, size_t i, size_t j,
                            struct alignment *out) {
    if (step == PAIR && is_equal(a, i, j))
        return true;
    const uint32_t cost = step == PAIR ? pair_cost(a, i, j) : 0;
    const size_t line = j < a->text_count ? j : a->text_count - 1;
    out->at = a->text[line].raw.data;
    out->text_line = out->old_line = (struct text_ref){0};
    if (step != OLD_ALONE)
        out->text_line = a->text[j].raw;
    if (step != TEXT_ALONE)
        out->old_line = a->old[i].raw;
    out->text_at = out->old_at = 0;
    if (step == OLD_ALONE)
        out->kinds |= a->old[i].bits > 0 ? NEAR_EXTRA : NEAR_BREAKS;
    else if (step == TEXT_ALONE)
        out->kinds |= a->text[j].bits > 0 ? NEAR_LACKING : NEAR_BREAKS;
    else if (cost == COST_FOLDED)
        return compare_pair(a, i, j, out);
    else
        out->kinds |= cost < SIMILAR ? NEAR_WORDS : NEAR_LINE;
    if (step == PAIR)
        find_focus(a, i, out);
    return true;
}

/* Follows the alignment back from COLUMN of the last row. */
static bool walk_back(const struct aligner *a, size_t column, struct alignment *out) {
    const char *first = NULL, *last = NULL;
    for (size_t i = a->old_count; i > 0;) {
        const enum align_step step = a->steps[i][column];
        size_t j = line_in_column(a, i, column); /* the line after the step */
        if (step != OLD_ALONE)
            j--;
        if (step != TEXT_ALONE)
            i--;
        if (step == OLD_ALONE)
            column++;
        else if (step == TEXT_ALONE)
            column--;
        if (step == PAIR) {
            first = a->text[j].raw.data;
            last = last ? last : first;
        }
        if (!note_difference(a, step, i, j, out))
            return false;
    }
    out->first = first;
    out->last = last;
    return true;
}

/* -- the whole -------------------------------------------------------------------------------- */

static size_t at_most(size_t n, size_t most) {
    return n < most ? n : most;
}

/* Splits OLD and the lines of TEXT that may be paired with it.  FOLDED must outlive the aligner. */
static bool prepare(struct aligner *a, struct text_ref text, size_t guess, struct text_ref old,
                    struct buf *folded) {
    const size_t line = linewise_start(text.data, guess),
                 from = linewise_above(text.data, line, SLIP);
    const size_t to = linewise_below(text.data, text.len, line, OLD_LINES_MOST + SLIP);
    const struct text_ref part = {text.data + from, to - from};
    const size_t old_most = at_most(linewise_count(old.data, old.len), OLD_LINES_MOST);
    const size_t text_most = at_most(linewise_count(part.data, part.len), old_most + 2 * SLIP + 1);
    a->guess = lines_count(part.data, line - from);
    a->guess_at = text.data + guess;
    a->old = malloc((old_most + 1) * sizeof *a->old);
    a->text = malloc((text_most + 1) * sizeof *a->text);
    a->steps = malloc((old_most + 1) * sizeof *a->steps);
    if (!a->old || !a->text || !a->steps ||
        !buf_reserve(folded, at_most(old.len, old_most * LINE_MOST) +
                                 at_most(part.len, text_most * LINE_MOST)))
        return false;
    a->old_count = split(old, old_most, 0, a->old, folded);
    a->text_count = split(part, text_most, guess - from, a->text, folded);
    a->indented = old.data[0] == ' ' || old.data[0] == '\t';
    a->open_end = a->old_count < OLD_LINES_MOST && old.data[old.len - 1] != '\n';
    return true;
}

/* The number of the needle's lines that are not blank, at least 1. */
static size_t inked_lines(const struct aligner *a) {
    size_t n = 0;
    for (size_t i = 0; i < a->old_count; i++)
        n += a->old[i].bits > 0;
    return n > 0 ? n : 1;
}

bool nearmiss_align(struct text_ref text, size_t guess, struct text_ref old,
                    struct alignment *out) {
    AUTO(buf_free) struct buf folded = {0};
    struct aligner a = {0};
    *out = (struct alignment){0};
    bool ok = prepare(&a, text, guess, old, &folded);
    if (ok) {
        uint32_t cost;
        const size_t column = fill_costs(&a, &cost);
        const size_t each = cost / inked_lines(&a);
        out->similarity = each < COST_DIFFERENT ? COST_DIFFERENT - (unsigned)each : 0;
        /* No alignment exists when the needle has many more lines than the text. */
        ok = cost == UINT32_MAX || walk_back(&a, column, out);
    }
    free(a.old);
    free(a.text);
    free(a.steps);
    return ok;
}
